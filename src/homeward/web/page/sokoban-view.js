// A room of boxes as SVG: walls and targets stand, boxes and the agent glide.

import { element, reducedMotion, svgElement } from "./dom.js";

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const isBox = (code) => code === 3 || code === 4;

export class SokobanView {
  constructor(host, model, on) {
    this.model = model;
    this.on = on;
    this.root = svgElement("svg", { class: "sokoban", role: "img", tabindex: 0 });
    this.pad = element("div", { class: "pad", role: "group", "aria-label": "Walk" });
    for (const [move, sign, word] of [["U", "▲", "up"], ["L", "◀", "left"], ["D", "▼", "down"], ["R", "▶", "right"]]) {
      const button = element("button", { type: "button", class: `icon pad-${word}`, "aria-label": word }, sign);
      button.addEventListener("click", () => this.on.wish(move));
      this.pad.append(button);
    }
    host.append(this.root, this.pad);
    this.root.addEventListener("pointerdown", (event) => (this.from = [event.clientX, event.clientY]));
    this.root.addEventListener("pointerup", (event) => this.swipe(event));
  }

  destroy() {}
  setLetters() {}
  setEditing() {}
  mark() {}

  /** A swipe walks one step; a click walks towards the cell if it lies straight ahead. */
  swipe(event) {
    if (!this.from) return;
    const [dx, dy] = [event.clientX - this.from[0], event.clientY - this.from[1]];
    this.from = null;
    if (Math.hypot(dx, dy) < 14) return void this.click(event);
    this.on.wish(Math.abs(dx) > Math.abs(dy) ? (dx > 0 ? "R" : "L") : dy > 0 ? "D" : "U");
  }

  click(event) {
    const box = this.root.getBoundingClientRect();
    const [x, y, width, height] = this.crop;
    const scale = Math.min(box.width / width, box.height / height);
    const left = box.left + (box.width - scale * width) / 2 - scale * x;
    const top = box.top + (box.height - scale * height) / 2 - scale * y;
    const column = Math.floor((event.clientX - left) / scale);
    const row = Math.floor((event.clientY - top) / scale);
    const here = this.state.findIndex((code) => code >= 5);
    const [down, right] = [row - Math.floor(here / this.model.columns), column - (here % this.model.columns)];
    if ((down === 0) === (right === 0)) return;
    const move = down ? (down > 0 ? "D" : "U") : right > 0 ? "R" : "L";
    this.on.wish(...Array(Math.abs(down || right)).fill(move));
  }

  show(state) {
    const plan = state.map((code) => (code === 1 ? 1 : [2, 4, 6].includes(code) ? 2 : 0)).join("");
    if (plan !== this.plan) this.build(state, plan);
    this.place(state);
  }

  /** What stands still, drawn anew for every room. */
  build(state, plan) {
    this.plan = plan;
    const { columns } = this.model;
    const inside = this.inside(state);
    this.crop = this.around(inside);
    this.root.setAttribute("viewBox", this.crop.join(" "));
    this.root.replaceChildren();
    state.forEach((code, cell) => {
      const [x, y] = [cell % columns, Math.floor(cell / columns)];
      if (code === 1) {
        if (this.near(inside, cell)) this.root.append(svgElement("rect", { class: "wall", x, y, width: 1, height: 1 }));
        return;
      }
      this.root.append(svgElement("rect", { class: "floor", x, y, width: 1, height: 1 }));
      if ([2, 4, 6].includes(code)) {
        this.root.append(svgElement("circle", { class: "target", cx: x + 0.5, cy: y + 0.5, r: 0.22 }));
      }
    });
    this.boxes = state.flatMap((code, cell) => (isBox(code) ? [this.piece("box", cell)] : []));
    this.agent = this.piece("agent", state.findIndex((code) => code >= 5));
  }

  /** Cells that are no wall. */
  inside(state) {
    return new Set(state.flatMap((code, cell) => (code === 1 ? [] : [cell])));
  }

  /** The part of the board that holds the room and its walls: x, y, width, height. */
  around(inside) {
    const { columns } = this.model;
    const xs = [...inside].map((cell) => cell % columns);
    const ys = [...inside].map((cell) => Math.floor(cell / columns));
    const [left, top] = [Math.min(...xs) - 1, Math.min(...ys) - 1];
    return [left, top, Math.max(...xs) + 2 - left, Math.max(...ys) + 2 - top];
  }

  near(inside, cell) {
    const { columns } = this.model;
    const around = [-columns - 1, -columns, -columns + 1, -1, 1, columns - 1, columns, columns + 1];
    return around.some((step) => {
      const other = cell + step;
      return inside.has(other) && Math.abs((other % columns) - (cell % columns)) <= 1;
    });
  }

  piece(kind, cell) {
    const group = svgElement("g", { class: kind });
    if (kind === "box") {
      group.append(svgElement("rect", { x: 0.1, y: 0.1, width: 0.8, height: 0.8, rx: 0.09 }));
      group.append(svgElement("path", { d: "M.24 .24 .76 .76M.76 .24 .24 .76" }));
    } else {
      group.append(svgElement("circle", { class: "body", cx: 0.5, cy: 0.5, r: 0.36 }));
      for (const cx of [0.38, 0.62]) group.append(svgElement("circle", { class: "eye", cx, cy: 0.44, r: 0.065 }));
    }
    this.root.append(group);
    return { group, cell };
  }

  /** Boxes keep their identity: the one whose cell is now empty goes where a new one is. */
  place(state) {
    const wanted = new Set(state.flatMap((code, cell) => (isBox(code) ? [cell] : [])));
    if (wanted.size !== this.boxes.length) return this.build(state, this.plan);
    const movers = this.boxes.filter((box) => !wanted.delete(box.cell));
    const free = [...wanted];
    for (const box of movers) box.cell = free.pop();
    this.agent.cell = state.findIndex((code) => code >= 5);
    for (const box of this.boxes) box.group.classList.toggle("home", state[box.cell] === 4);
    const { columns } = this.model;
    for (const { group, cell } of [...this.boxes, this.agent]) {
      group.style.transform = `translate(${cell % columns}px, ${Math.floor(cell / columns)}px)`;
    }
    this.state = state;
    const left = state.filter((code) => code === 3).length;
    this.root.setAttribute("aria-label", `Sokoban, ${left} of ${this.boxes.length} boxes not on a target`);
  }

  async animate(name, after, ms) {
    const quick = reducedMotion() || document.hidden;
    this.root.style.setProperty("--ms", `${quick ? 0 : ms}ms`);
    this.show(after);
    if (!quick) await wait(ms);
  }

  key(event) {
    const moves = { ArrowUp: "U", ArrowDown: "D", ArrowLeft: "L", ArrowRight: "R" };
    if (!moves[event.key]) return false;
    this.on.wish(moves[event.key]);
    return true;
  }
}
