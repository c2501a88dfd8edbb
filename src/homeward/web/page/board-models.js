// Boards as rows of numbers, and what their moves do. Every model has the same methods:
// read, write, apply (null if a move is not possible), isSolved, steps, words.

const WAYS = { U: "up", D: "down", L: "left", R: "right", W: "round the corner" };
const ARROWS = { U: "↑", D: "↓", L: "←", R: "→", W: "↻" };
const same = (a, b) => a.every((x, i) => x === b[i]);

/** One step for each move, with the words for it where it is made. */
function eachMove(model, moves, start, label) {
  let state = start;
  return moves.map((move) => {
    const step = { label: label(state, move), name: move, moves: [move], words: model.words(move, state) };
    state = model.apply(state, move);
    return step;
  });
}

export class SlidingModel {
  constructor(info) {
    Object.assign(this, { name: info.name, family: "sliding", rows: info.rows, columns: info.columns });
    this.goal = this.read(info.goal);
    this.coiled = info.move_names.includes("W");
  }

  read(text) {
    return text.trim().split(/\s+/).map(Number);
  }

  write(state) {
    return state.join(" ");
  }

  /** The cell whose tile a move slides into the blank, -1 if there is none. */
  source(state, move) {
    const blank = state.indexOf(0);
    const [row, column] = [Math.floor(blank / this.columns), blank % this.columns];
    if (move === "U") return row + 1 < this.rows ? blank + this.columns : -1;
    if (move === "D") return row > 0 ? blank - this.columns : -1;
    if (move === "L") return column + 1 < this.columns ? blank + 1 : -1;
    if (move === "R") return column > 0 ? blank - 1 : -1;
    const last = state.length - 1;
    return this.coiled && (blank === 0 || blank === last) ? last - blank : -1;
  }

  apply(state, move) {
    const from = this.source(state, move);
    if (from < 0) return null;
    const after = [...state];
    after[state.indexOf(0)] = state[from];
    after[from] = 0;
    return after;
  }

  /** The moves that bring the blank to a cell of its row or column: what a click there does. */
  towards(state, cell) {
    const blank = state.indexOf(0);
    const down = Math.floor(cell / this.columns) - Math.floor(blank / this.columns);
    const right = (cell % this.columns) - (blank % this.columns);
    if (this.coiled && this.source(state, "W") === cell && down && right) return ["W"];
    if ((down === 0) === (right === 0)) return [];
    const move = down ? (down > 0 ? "U" : "D") : right > 0 ? "L" : "R";
    return Array(Math.abs(down || right)).fill(move);
  }

  isSolved(state) {
    return same(state, this.goal);
  }

  steps(moves, start) {
    return eachMove(this, moves, start, (_, move) => ARROWS[move]);
  }

  words(move, state) {
    return `tile ${state[this.source(state, move)]} ${WAYS[move]}`;
  }

  cellsAt(problem, state) {
    const tiles = problem.where.split(" ").map(Number);
    return state.flatMap((tile, cell) => (problem.where && tiles.includes(tile) ? [cell] : []));
  }
}

export class LightsModel {
  constructor(info) {
    Object.assign(this, { name: info.name, family: "lightsout", rows: info.rows, columns: info.rows });
    this.goal = this.read(info.goal);
  }

  read(text) {
    return [...text.replace(/\s/g, "")].map(Number);
  }

  write(state) {
    const rows = [];
    for (let i = 0; i < state.length; i += this.columns) rows.push(state.slice(i, i + this.columns).join(""));
    return rows.join(" ");
  }

  apply(state, move) {
    const [row, column] = move.split(",").map((x) => Number(x) - 1);
    return state.map((lamp, cell) => {
      const apart = Math.abs(Math.floor(cell / this.columns) - row) + Math.abs((cell % this.columns) - column);
      return apart <= 1 ? 1 - lamp : lamp;
    });
  }

  moveAt(cell) {
    return `${Math.floor(cell / this.columns) + 1},${(cell % this.columns) + 1}`;
  }

  isSolved(state) {
    return same(state, this.goal);
  }

  steps(moves, start) {
    return eachMove(this, moves, start, (_, move) => move);
  }

  words(move) {
    const [row, column] = move.split(",");
    return `row ${row}, column ${column}`;
  }

  cellsAt() {
    return []; // the reason lies in the whole board
  }
}

const SYMBOLS = " #.$*@+";
const STEPS = { U: [-1, 0], D: [1, 0], L: [0, -1], R: [0, 1] };

export class SokobanModel {
  constructor(info) {
    Object.assign(this, { name: info.name, family: "sokoban", rows: info.rows, columns: info.columns });
    this.goal = null; // every room has its own
  }

  read(text) {
    const lines = text.split("\n").filter((line) => line.length);
    const width = Math.max(...lines.map((line) => line.length));
    this.rows = lines.length;
    this.columns = width;
    return lines.flatMap((line) => [...line.padEnd(width)].map((c) => Math.max(0, SYMBOLS.indexOf(c))));
  }

  write(state) {
    const rows = [];
    for (let i = 0; i < state.length; i += this.columns) {
      rows.push(state.slice(i, i + this.columns).map((code) => SYMBOLS[code]).join(""));
    }
    return rows.join("\n");
  }

  pushes(state, move) {
    const [, ahead] = this.way(state, move);
    return state[ahead] === 3 || state[ahead] === 4;
  }

  way(state, move) {
    const here = state.findIndex((code) => code >= 5);
    const step = STEPS[move][0] * this.columns + STEPS[move][1];
    return [here, here + step, here + 2 * step];
  }

  apply(state, move) {
    if (!STEPS[move]) return null;
    const [here, ahead, behind] = this.way(state, move);
    const free = (cell) => state[cell] === 0 || state[cell] === 2;
    const pushing = this.pushes(state, move);
    if (!free(ahead) && !(pushing && free(behind))) return null;
    const after = [...state];
    if (pushing) after[behind] = state[behind] === 2 ? 4 : 3;
    after[ahead] = state[ahead] === 2 || state[ahead] === 4 ? 6 : 5;
    after[here] = state[here] === 6 ? 2 : 0;
    return after;
  }

  isSolved(state) {
    return state.includes(4) && !state.includes(3);
  }

  steps(moves, start) {
    const steps = eachMove(this, moves, start, (_, move) => ARROWS[move]);
    return steps.map((step) => ({ ...step, push: step.words.startsWith("push") }));
  }

  words(move, state) {
    return `${state && this.pushes(state, move) ? "push " : ""}${WAYS[move]}`;
  }

  cellsAt() {
    return [];
  }
}

export class RowsModel {
  constructor(info) {
    Object.assign(this, { name: info.name, family: "permutation", layout: info.layout });
    this.symbols = info.symbol_names;
    this.moves = new Map(info.move_names.map((name, i) => [name, info.table[i]]));
    this.letters = this.symbols.every((s) => s.length === 1) && !this.symbols.every((s) => /^\d$/.test(s));
    this.goal = this.read(info.goal);
  }

  read(text) {
    const words = this.letters ? [...text.replace(/\s/g, "")] : text.trim().split(/\s+/);
    return words.map((word) => this.symbols.indexOf(word));
  }

  write(state) {
    return state.map((symbol) => this.symbols[symbol]).join(this.letters ? "" : " ");
  }

  apply(state, move) {
    return this.moves.get(move)?.map((cell) => state[cell]) ?? null;
  }

  isSolved(state) {
    return same(state, this.goal);
  }

  steps(moves, start) {
    return eachMove(this, moves, start, (_, move) => move);
  }

  words(move) {
    return move.replace("'", " back");
  }

  cellsAt() {
    return [];
  }
}
