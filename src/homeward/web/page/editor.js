// Editing by hand: a palette for cubes, and the verdict on whatever was made.

import * as api from "./api.js";
import { COLOURS, FACES } from "./cube-model.js";
import { PAINT } from "./cube-view.js";
import { byId, element, plural } from "./dom.js";

const SHOWN = 4;
const ROUND = "UFRBLD"; // the order in which a cube is turned from face to face
const ABOVE = { U: "B", R: "U", F: "U", D: "F", L: "U", B: "U" };
const HINTS = {
  cube: "Pick a colour, then touch stickers on the cube or on the net; or type letters.",
  sliding: "Touch two tiles to exchange them.",
  lightsout: "Touch a lamp to switch it alone.",
};

export class Editor {
  constructor(on) {
    this.on = on; // state(), model(), changed(state), mark(cells), verdict(valid), lost()
    this.colour = 0;
    this.asked = 0;
    this.open = false;
  }

  start() {
    const model = this.on.model();
    this.open = true;
    byId("editor").hidden = false;
    byId("palette").hidden = model.family !== "cube";
    byId("faces").hidden = model.family !== "cube";
    if (model.family === "cube") {
      this.buildPalette();
      this.buildFaces();
    }
    this.buildButtons(model);
    this.hint();
    this.check();
  }

  stop() {
    this.open = false;
    byId("editor").hidden = true;
  }

  /** How to hold the cube, and what to touch. */
  hint() {
    const model = this.on.model();
    let hold = "";
    if (model.family === "cube" && this.face) {
      const [face, above] = [this.face, ABOVE[this.face]].map((letter) => COLOURS[letter]);
      hold = `The ${face} face, with ${above} above it. `;
    } else if (model.family === "cube" && model.size % 2) {
      hold = "Hold your cube with the white centre on top and the green one in front. ";
    }
    byId("hint").textContent = hold + HINTS[model.family];
  }

  // --- faces, one at a time

  buildFaces() {
    this.tabs = ["", ...ROUND].map((face) => {
      const tab = element("button", { type: "button", class: "face" }, face || "All");
      tab.setAttribute("aria-label", face ? `${COLOURS[face]} face` : "all faces");
      if (face) tab.style.setProperty("--paint", PAINT[FACES.indexOf(face)]);
      tab.addEventListener("click", () => this.show(face));
      return tab;
    });
    byId("faces").replaceChildren(...this.tabs);
    this.show("");
  }

  /** Shows one face large, or all of them. */
  show(face) {
    this.face = face;
    this.tabs.forEach((tab, i) => tab.setAttribute("aria-pressed", String(face === (i ? ROUND[i - 1] : ""))));
    this.on.zoom(face);
    this.hint();
  }

  /** From a face that is painted all over to the next one that is not. */
  goOn(state) {
    const area = this.on.model().size ** 2;
    const open = (face) => state.slice(FACES.indexOf(face) * area, (FACES.indexOf(face) + 1) * area).includes(-1);
    if (!this.face || open(this.face)) return;
    const from = ROUND.indexOf(this.face);
    const next = [...ROUND.slice(from + 1), ...ROUND.slice(0, from)].find(open);
    this.show(next ?? "");
  }

  // --- the palette

  buildPalette() {
    const palette = byId("palette");
    this.swatches = [...FACES].map((face, colour) => {
      const swatch = element("button", {
        type: "button", role: "radio", class: "swatch", "data-colour": colour,
      }, element("b", {}, face), element("small"));
      swatch.style.setProperty("--paint", PAINT[colour]);
      swatch.classList.toggle("dark-ink", "UDL".includes(face));
      swatch.addEventListener("click", () => this.pick(colour));
      return swatch;
    });
    palette.replaceChildren(...this.swatches);
    palette.onkeydown = (event) => {
      const way = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!way) return;
      event.preventDefault();
      event.stopPropagation();
      this.pick((this.colour + way + 6) % 6);
      this.swatches[this.colour].focus();
    };
    this.pick(this.colour);
  }

  pick(colour) {
    this.colour = colour;
    this.swatches.forEach((swatch, i) => {
      swatch.setAttribute("aria-checked", String(i === colour));
      swatch.setAttribute("tabindex", i === colour ? 0 : -1);
    });
  }

  count(state) {
    const size = this.on.model().size;
    this.swatches.forEach((swatch, colour) => {
      const have = state.filter((c) => c === colour).length;
      swatch.lastChild.textContent = `${have}/${size * size}`;
      swatch.dataset.count = have > size * size ? "over" : have === size * size ? "full" : "under";
      const name = COLOURS[FACES[colour]];
      swatch.setAttribute("aria-label", `${name} (${FACES[colour]}), ${have} of ${size * size}`);
    });
  }

  buildButtons(model) {
    const make = (label, act) => {
      const button = element("button", { type: "button" }, label);
      button.addEventListener("click", act);
      return button;
    };
    const buttons = [];
    if (model.family === "cube") {
      buttons.push(make("Clear", () => {
        this.on.changed(this.cleared(model));
        if (matchMedia("(max-width: 899px)").matches) this.show(ROUND[0]); // large enough for thumbs
      }));
    }
    buttons.push(make("Solved", () => this.on.changed(model.goal)));
    byId("editor-buttons").replaceChildren(...buttons);
  }

  /** Everything unpainted but the fixed centres, which say how the cube is held. */
  cleared(model) {
    const area = model.size * model.size;
    const centre = model.size % 2 ? (area - 1) / 2 : -1;
    return model.goal.map((colour, cell) => (cell % area === centre ? colour : -1));
  }

  paint(cell, colour = this.colour) {
    const state = [...this.on.state()];
    if (state[cell] === colour) return;
    const first = state[cell] < 0;
    state[cell] = colour;
    this.on.changed(state);
    if (first) this.goOn(state);
  }

  type(cell, letter) {
    this.paint(cell, letter ? FACES.indexOf(letter) : -1);
    if (letter) this.pick(FACES.indexOf(letter));
  }

  // --- the verdict

  /** Says at once what is wrong with the state; asks the server where the page cannot know. */
  async check() {
    const model = this.on.model();
    const state = this.on.state();
    const number = ++this.asked;
    if (model.family === "cube") {
      if (this.open) this.count(state);
      const blank = state.filter((colour) => colour < 0).length;
      const wrong = model.impossible(state);
      if (wrong.length) return void this.bad(wrong, state);
      if (blank) return void this.say("open", [`${plural(blank, "sticker")} still to paint.`], []);
    }
    try {
      const answer = await api.read({ puzzle: model.name, state: model.write(state) });
      if (number !== this.asked) return;
      if (!answer.valid) return void this.bad(answer.problems, state);
      this.say("good", [answer.solved ? "This is the solved state." : "This can be solved."], []);
    } catch (error) {
      if (error instanceof api.Lost) this.on.lost();
      else this.bad([{ kind: "text", sentence: error.message, where: "" }], state);
    }
  }

  bad(problems, state) {
    const model = this.on.model();
    const present = problems.filter(({ sentence }) => !sentence.endsWith("is missing"));
    const cells = present.flatMap((problem) => problem.cells ?? model.cellsAt(problem, state));
    // The palette counts colours already: what is wrong with pieces comes first.
    const counts = problems.filter(({ kind }) => kind === "colour_count");
    const ordered = [...problems.filter((problem) => !counts.includes(problem)), ...counts];
    const sentences = ordered.slice(0, SHOWN).map(({ sentence }) => `${sentence[0].toUpperCase()}${sentence.slice(1)}.`);
    if (problems.length > SHOWN) sentences.push(`And ${problems.length - SHOWN} more.`);
    this.say("bad", sentences, cells);
  }

  say(kind, sentences, cells) {
    const box = byId("verdict");
    box.hidden = false;
    box.dataset.kind = kind;
    box.replaceChildren(...sentences.map((sentence) => element("p", {}, sentence)));
    this.on.mark(cells);
    this.on.verdict(kind);
  }

  clearVerdict() {
    this.asked++;
    byId("verdict").hidden = true;
    this.on.mark([]);
  }
}
