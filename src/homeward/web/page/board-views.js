// Sliding boards, Lights Out and puzzles of rows: buttons that can be clicked, focused and read out.

import { element, reducedMotion } from "./dom.js";

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Arrow keys go from button to button of a grid; only one of them is in the tab order. */
class Grid {
  constructor(buttons, columns) {
    this.buttons = buttons;
    this.columns = columns;
    this.current = 0;
    buttons.forEach((button, i) => button.setAttribute("tabindex", i ? -1 : 0));
  }

  focus(cell) {
    this.buttons[this.current].setAttribute("tabindex", -1);
    this.current = cell;
    this.buttons[cell].setAttribute("tabindex", 0);
    this.buttons[cell].focus({ preventScroll: true });
  }

  key(event) {
    const ways = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const way = ways[event.key];
    if (!way) return false;
    const row = Math.floor(this.current / this.columns) + way[0];
    const column = (this.current % this.columns) + way[1];
    const last = this.buttons.length / this.columns - 1;
    if (row >= 0 && row <= last && column >= 0 && column < this.columns) this.focus(row * this.columns + column);
    return true;
  }
}

class Board {
  constructor(host, model, on, name) {
    this.model = model;
    this.on = on;
    this.root = element("div", { class: `board ${name}`, role: "group", "aria-label": model.name });
    host.append(this.root);
    this.fit(model.rows, model.columns);
  }

  fit(rows, columns) {
    this.root.style.setProperty("--rows", rows);
    this.root.style.setProperty("--columns", columns);
  }

  destroy() {}

  setLetters() {}

  setEditing(on) {
    this.editing = on;
    this.root.classList.toggle("editing", on);
  }

  async animate(name, after, ms) {
    const quick = reducedMotion() || document.hidden;
    this.root.style.setProperty("--ms", `${quick ? 0 : ms}ms`);
    this.show(after);
    if (!quick) await wait(ms);
  }
}

export class SlidingView extends Board {
  constructor(host, model, on) {
    super(host, model, on, "sliding");
    this.tiles = model.goal.map((_, tile) => this.tile(tile));
    this.root.append(...this.tiles);
    this.marked = [];
    this.picked = null;
    this.root.addEventListener("pointerdown", (event) => this.press(event));
    this.root.addEventListener("click", (event) => {
      if (event.detail === 0) this.act(this.cellOf(event.target)); // from the keyboard
    });
    this.show(model.goal);
  }

  tile(tile) {
    const made = element("button", { type: "button", class: tile ? "tile" : "tile blank" }, tile ? String(tile) : "");
    made.dataset.tile = tile;
    return made;
  }

  cellOf(target) {
    const tile = target.closest(".tile");
    return tile ? this.state.indexOf(Number(tile.dataset.tile)) : -1;
  }

  /** A press acts at once, as a finger on a real board does. */
  press(event) {
    const cell = this.cellOf(event.target);
    if (cell >= 0 && event.button === 0) this.act(cell);
  }

  act(cell) {
    if (cell < 0) return;
    if (!this.editing) return void this.on.wish(...this.model.towards(this.state, cell));
    if (this.picked === null) this.picked = cell;
    else {
      const after = [...this.state];
      [after[this.picked], after[cell]] = [after[cell], after[this.picked]];
      this.picked = null;
      this.on.edited(after);
    }
    this.show(this.state);
  }

  show(state) {
    this.state = state;
    state.forEach((tile, cell) => {
      const made = this.tiles[tile];
      if (!made) return;
      made.style.setProperty("--row", Math.floor(cell / this.model.columns));
      made.style.setProperty("--column", cell % this.model.columns);
      made.classList.toggle("home", tile === this.model.goal[cell]);
      made.classList.toggle("picked", this.editing && cell === this.picked);
      made.classList.toggle("marked", this.marked.includes(cell));
      const where = `row ${Math.floor(cell / this.model.columns) + 1}, column ${(cell % this.model.columns) + 1}`;
      made.setAttribute("aria-label", `${tile ? `tile ${tile}` : "blank"}, ${where}`);
    });
  }

  mark(cells) {
    this.marked = cells;
    this.show(this.state);
  }

  setEditing(on) {
    super.setEditing(on);
    this.picked = null;
    this.show(this.state);
  }

  key(event) {
    const moves = { ArrowUp: "U", ArrowDown: "D", ArrowLeft: "L", ArrowRight: "R" };
    const move = moves[event.key] ?? (event.key.toLowerCase() === "w" && this.model.coiled ? "W" : null);
    if (!move || this.editing) return false;
    this.on.wish(move);
    return true;
  }
}

export class LightsView extends Board {
  constructor(host, model, on) {
    super(host, model, on, "lights");
    this.lamps = model.goal.map((_, cell) => {
      const lamp = element("button", { type: "button", class: "lamp" });
      lamp.dataset.cell = cell;
      return lamp;
    });
    this.grid = new Grid(this.lamps, model.columns);
    this.root.append(...this.lamps);
    this.root.addEventListener("click", (event) => {
      const lamp = event.target.closest(".lamp");
      if (lamp) this.act(Number(lamp.dataset.cell));
    });
    this.show(model.goal);
  }

  act(cell) {
    if (!this.editing) return void this.on.wish(this.model.moveAt(cell));
    const after = [...this.state];
    after[cell] = 1 - after[cell];
    this.on.edited(after);
  }

  show(state) {
    this.state = state;
    state.forEach((lit, cell) => {
      const lamp = this.lamps[cell];
      lamp.classList.toggle("lit", lit === 1);
      lamp.setAttribute("aria-pressed", String(lit === 1));
      lamp.setAttribute("aria-label", `${this.model.words(this.model.moveAt(cell))}: ${lit ? "lit" : "dark"}`);
    });
  }

  async animate(name, after, ms) {
    const [row, column] = name.split(",").map(Number);
    const lamp = this.lamps[(row - 1) * this.model.columns + column - 1];
    lamp.classList.add("pressed");
    await super.animate(name, after, ms);
    lamp.classList.remove("pressed");
  }

  mark() {}

  key(event) {
    return this.grid.key(event);
  }
}

/** Puzzles given by permutations: their cells in rows, and a button for each move. */
export class RowsView extends Board {
  constructor(host, model, on) {
    super(host, model, on, "rows");
    this.cells = [];
    for (const group of model.layout) {
      const row = element("div", { class: "row" });
      for (const piece of group) {
        const box = element("span", { class: "piece" });
        for (const cell of piece) box.append((this.cells[cell] = element("span", { class: "cell" })));
        row.append(box);
      }
      this.root.append(row);
    }
    const names = [...model.moves.keys()];
    const buttons = element("div", { class: "turns" });
    for (const name of names) {
      const button = element("button", { type: "button" }, name);
      button.addEventListener("click", () => this.on.wish(name));
      buttons.append(button);
    }
    this.root.append(buttons);
    this.show(model.goal);
  }

  fit() {}

  show(state) {
    this.state = state;
    const many = this.model.symbols.length;
    state.forEach((symbol, cell) => {
      const box = this.cells[cell];
      box.textContent = this.model.symbols[symbol];
      const hue = Math.round((many <= 8 ? 360 : 300) * (symbol / many));
      box.style.setProperty("--hue", hue);
    });
  }

  mark() {}

  key(event) {
    const upper = event.key.toUpperCase();
    const name = event.shiftKey ? `${upper}'` : upper;
    if (!this.model.moves.has(name)) return false;
    this.on.wish(name);
    return true;
  }
}
