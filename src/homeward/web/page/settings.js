// What is wished for: solver, time, proof; and how the page looks. Looks are kept between visits.

import { byId, element } from "./dom.js";

const THEMES = ["", "dark", "light"]; // "" follows the system

function kept(key) {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return ""; // storage may be switched off
  }
}

function keep(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // then it lasts as long as the page
  }
}

export class Settings {
  constructor(on) {
    this.on = on;
    this.letters = kept("letters") === "on";
    this.solvers = [];
    for (const id of ["solver", "other", "seconds", "optimal", "compare"]) {
      byId(id).addEventListener("change", () => this.changed());
    }
    byId("letters").addEventListener("click", () => this.setLetters(!this.letters));
    byId("theme").addEventListener("click", () => {
      const next = THEMES[(THEMES.indexOf(kept("theme")) + 1) % THEMES.length];
      this.setTheme(next);
    });
    this.setTheme(kept("theme"));
    byId("letters").setAttribute("aria-pressed", String(this.letters));
  }

  setLetters(on) {
    this.letters = on;
    keep("letters", on ? "on" : "");
    byId("letters").setAttribute("aria-pressed", String(on));
    this.on.letters(on);
  }

  setTheme(theme) {
    keep("theme", theme);
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    byId("theme").title = `Colours: ${theme || "as the system has them"}`;
  }

  /** The solvers of a puzzle. The first choice is the one that suits the family best. */
  fill(info) {
    this.solvers = info.solvers;
    for (const id of ["solver", "other"]) {
      const options = info.solvers.map((solver) => element("option", { value: solver.name }, solver.name));
      const before = byId(id).value;
      byId(id).replaceChildren(...options);
      byId(id).value = info.solvers.some((solver) => solver.name === before) ? before : "auto";
    }
    const rival = info.solvers.find((solver) => solver.proves && solver.name !== "bfs") ?? info.solvers.at(-1);
    if (byId("other").value === byId("solver").value) byId("other").value = rival.name;
    this.render();
  }

  canProve(name) {
    return name === "auto" || this.solvers.some((solver) => solver.name === name && solver.proves);
  }

  /** Settings that a link brings. */
  take(link) {
    if (this.solvers.some((solver) => solver.name === link.solver)) byId("solver").value = link.solver;
    const against = this.solvers.some((solver) => solver.name === link.against);
    byId("compare").checked = against;
    if (against) byId("other").value = link.against;
    if (Number(link.seconds) > 0) byId("seconds").value = Number(link.seconds);
    byId("optimal").checked = Boolean(link.optimal);
    this.render();
  }

  /** Settings of a solve that is begun from its card. */
  takeWish(wish) {
    byId("solver").value = wish.solver;
    byId("seconds").value = wish.seconds;
    byId("optimal").checked = wish.optimal;
    byId("compare").checked = false;
    this.render();
  }

  get wish() {
    const seconds = Math.min(600, Math.max(0.5, Number(byId("seconds").value) || 5));
    return {
      solver: byId("solver").value || "auto",
      against: byId("compare").checked ? byId("other").value : "",
      seconds,
      optimal: byId("optimal").checked,
    };
  }

  changed() {
    byId("seconds").value = this.wish.seconds;
    this.render();
    this.on.changed();
  }

  render() {
    byId("other-field").hidden = !byId("compare").checked;
    const chosen = this.solvers.find((solver) => solver.name === byId("solver").value);
    const optimal = byId("optimal").checked && chosen && !this.canProve(chosen.name);
    byId("solver-help").textContent = optimal
      ? `${chosen.help}. It does not prove, so its solution will be as it comes.`
      : chosen?.help ?? "";
  }
}
