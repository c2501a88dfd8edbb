// The menu of puzzles: common sizes, and a question for any other.

import { byId, element } from "./dom.js";
import { label, menu, named } from "./families.js";

const OTHER = "?";

export class Menu {
  constructor(open) {
    this.open = open;
    this.info = null;
    this.select = byId("puzzle");
    this.select.addEventListener("change", () => this.changed());
    byId("size").addEventListener("close", () => {
      const text = byId("size-text").value;
      if (byId("size").returnValue && text) open(named(text, this.info.family));
      byId("size").returnValue = "";
    });
    this.fill([]);
  }

  changed() {
    if (this.select.value !== OTHER) return void this.open(this.select.value);
    this.choose(this.info);
    byId("size").showModal();
    byId("size-text").select();
  }

  /** `listed` are the puzzles that the server lists. */
  fill(listed) {
    const option = (name) => element("option", { value: name }, label(name));
    const groups = menu(listed).map(([title, names]) => element("optgroup", { label: title }, ...names.map(option)));
    this.select.replaceChildren(...groups, element("option", { value: OTHER }, "Another size …"));
    if (this.info) this.choose(this.info);
  }

  /** Shows a puzzle's name, which is added if it is none of the common ones. */
  choose(info) {
    this.info = info;
    const base = info.family === "sokoban" ? "sokoban" : info.name;
    if (![...this.select.options].some((option) => option.value === base)) {
      this.select.prepend(element("option", { value: base }, label(base)));
    }
    this.select.value = base;
  }
}
