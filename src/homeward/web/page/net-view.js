// The cube unfolded, as SVG: every sticker can be focused, read out and painted.

import { FACES, COLOURS, geometry } from "./cube-model.js";
import { svgElement } from "./dom.js";

const SPOTS = { U: [1, 0], L: [0, 1], F: [1, 1], R: [2, 1], B: [3, 1], D: [1, 2] };
const GAP = 0.3;

export class NetView {
  constructor(model, paint, on) {
    this.model = model;
    this.paintOf = paint;
    this.on = on;
    this.editing = false;
    const n = model.size;
    const side = n + GAP;
    const [width, height] = [4 * side - GAP, 3 * side - GAP];
    this.root = svgElement("svg", {
      class: "net", viewBox: `-0.1 -0.1 ${width + 0.2} ${height + 0.2}`, role: "group",
      "aria-label": "The cube unfolded; arrows go from sticker to sticker",
    });
    this.cells = geometry(n).stickers.map((sticker) => this.cell(sticker, side));
    this.whole = this.root.getAttribute("viewBox");
    this.face = ""; // the face that fills the picture, none: all of them
    this.root.append(...this.cells.map((cell) => cell.group));
    this.current = 0;
    this.cells[0].group.setAttribute("tabindex", 0);
    this.listen();
  }

  cell({ cell, face, row, column }, side) {
    const x = SPOTS[face][0] * side + column;
    const y = SPOTS[face][1] * side + row;
    const group = svgElement("g", { class: "sticker", tabindex: -1, role: "button", "data-cell": cell });
    const rect = svgElement("rect", { x: x + 0.05, y: y + 0.05, width: 0.9, height: 0.9, rx: 0.18 });
    const text = svgElement("text", { x: x + 0.5, y: y + 0.72 });
    group.append(rect, text);
    return { group, rect, text, x, y };
  }

  show(state) {
    state.forEach((colour, cell) => {
      const { group, rect, text } = this.cells[cell];
      const letter = FACES[colour] ?? "";
      rect.setAttribute("fill", this.paintOf[colour] ?? "var(--blank)");
      text.textContent = letter;
      group.classList.toggle("dark-ink", "UDL".includes(letter));
      const shown = letter ? `${COLOURS[letter]} (${letter})` : "not painted";
      group.setAttribute("aria-label", `${this.model.label(cell)}: ${shown}`);
    });
  }

  mark(cells) {
    this.cells.forEach(({ group }, cell) => group.classList.toggle("marked", cells.has(cell)));
  }

  setEditing(on) {
    this.editing = on;
    this.root.classList.toggle("editing", on);
    for (const { group } of this.cells) group.setAttribute("aria-disabled", String(!on));
  }

  /** Shows one face as large as can be; "" shows all. */
  zoom(face) {
    this.face = face;
    this.root.classList.toggle("zoomed", face !== "");
    const n = this.model.size;
    geometry(n).stickers.forEach((sticker) => {
      this.cells[sticker.cell].group.classList.toggle("away", face !== "" && sticker.face !== face);
    });
    if (!face) return void this.root.setAttribute("viewBox", this.whole);
    this.painting = false; // the finger lies on another face now
    const first = geometry(n).stickers.find((sticker) => sticker.face === face).cell;
    if (geometry(n).stickers[this.current].face !== face) {
      const focused = this.root.contains(document.activeElement);
      this.makeCurrent(first);
      if (focused) this.cells[first].group.focus({ preventScroll: true });
    }
    const [x, y] = SPOTS[face].map((spot) => spot * (n + GAP) - 0.1);
    this.root.setAttribute("viewBox", `${x} ${y} ${n + 0.2} ${n + 0.2}`);
  }

  focus(cell) {
    const { face } = geometry(this.model.size).stickers[cell];
    if (this.face && face !== this.face) this.on.face(face);
    this.makeCurrent(cell);
    this.cells[cell].group.focus({ preventScroll: true });
  }

  /** The sticker that Tab goes to. */
  makeCurrent(cell) {
    this.cells[this.current].group.setAttribute("tabindex", -1);
    this.current = cell;
    this.cells[cell].group.setAttribute("tabindex", 0);
  }

  /** The sticker that lies next in a direction of the net, across gaps and empty corners. */
  neighbour(dx, dy) {
    const here = this.cells[this.current];
    let best = null;
    this.cells.forEach((cell, number) => {
      const [x, y] = [cell.x - here.x, cell.y - here.y];
      const [ahead, aside] = dx ? [x * dx, Math.abs(y)] : [y * dy, Math.abs(x)];
      if (ahead < 0.5 || aside > 0.5) return;
      if (!best || ahead < best.ahead) best = { number, ahead };
    });
    return best?.number ?? this.current;
  }

  listen() {
    const cellOf = (event) => {
      const group = event.target.closest?.(".sticker");
      return group ? Number(group.dataset.cell) : null;
    };
    this.painting = false;
    this.root.addEventListener("pointerdown", (event) => {
      const cell = cellOf(event);
      if (cell === null || !this.editing) return;
      event.target.releasePointerCapture?.(event.pointerId);
      event.preventDefault();
      this.painting = true;
      this.focus(cell);
      this.on.paint(cell);
    });
    this.root.addEventListener("pointerover", (event) => {
      const cell = cellOf(event);
      if (this.painting && event.buttons && cell !== null) this.on.paint(cell);
    });
    this.root.addEventListener("focusin", (event) => {
      const cell = cellOf(event);
      if (cell !== null && cell !== this.current) this.focus(cell);
    });
    this.root.addEventListener("pointerleave", () => (this.painting = false));
    this.root.addEventListener("pointerup", () => (this.painting = false));
    this.root.addEventListener("keydown", (event) => {
      const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (ways[event.key]) this.focus(this.neighbour(...ways[event.key]));
      else if (!this.editing) return;
      else if (event.key === "Enter" || event.key === " ") this.on.paint(this.current);
      else if (/^[urfdlb]$/i.test(event.key)) this.type(event.key.toUpperCase());
      else if (event.key === "Backspace" || event.key === "Delete") this.on.type(this.current, "");
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  /** A letter paints the sticker, and the next one in reading order is up. */
  type(letter) {
    const here = this.current;
    this.on.type(here, letter);
    if (this.current === here) this.focus((here + 1) % this.cells.length); // else the next face is up
  }
}
