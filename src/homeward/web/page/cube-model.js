// The cube as a row of stickers, face by face in the order U R F D L B, each row by row as seen
// from outside. x points to R, y to U, z to F. Cells hold the colour's number, -1 if unpainted.

export const FACES = "URFDLB";
export const COLOURS = { U: "white", R: "red", F: "green", D: "yellow", L: "orange", B: "blue" };
const SIDES = { U: "top", R: "right", F: "front", D: "bottom", L: "left", B: "back" };

// Outward normal, the direction of a row's columns, the direction of the rows.
const AXES = {
  U: [[0, 1, 0], [1, 0, 0], [0, 0, 1]],
  R: [[1, 0, 0], [0, 0, -1], [0, -1, 0]],
  F: [[0, 0, 1], [1, 0, 0], [0, -1, 0]],
  D: [[0, -1, 0], [1, 0, 0], [0, 0, -1]],
  L: [[-1, 0, 0], [0, 0, 1], [0, -1, 0]],
  B: [[0, 0, -1], [-1, 0, 0], [0, -1, 0]],
};

export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const plus = (...vectors) => [0, 1, 2].map((k) => vectors.reduce((sum, v) => sum + v[k], 0));
const times = (v, s) => v.map((x) => x * s);

const geometries = new Map();

/** The stickers of a cube: where each one's cubie stands, in steps of 2, and where it faces. */
export function geometry(size) {
  if (geometries.has(size)) return geometries.get(size);
  const stickers = [];
  for (const face of FACES) {
    const [normal, right, down] = AXES[face];
    for (let row = 0; row < size; row++) {
      for (let column = 0; column < size; column++) {
        const place = plus(
          times(normal, size - 1),
          times(right, 2 * column - size + 1),
          times(down, 2 * row - size + 1),
        );
        stickers.push({ cell: stickers.length, face, row, column, place, normal, right, down });
      }
    }
  }
  const number = new Map(stickers.map((s) => [`${s.place}|${s.normal}`, s.cell]));
  const pieces = new Map();
  for (const s of stickers) {
    const key = String(s.place);
    if (!pieces.has(key)) pieces.set(key, []);
    pieces.get(key).push(s);
  }
  const made = { size, stickers, number, pieces: [...pieces.values()], turns: new Map() };
  geometries.set(size, made);
  return made;
}

const TURN = /^(?:(\d+)-)?(\d*)([URFDLB])(w?)(2|')?$|^([xyzMES])(2|')?$/;
const WHOLE = { x: "R", y: "U", z: "F" };
const MIDDLE = { M: "L", E: "D", S: "F" };

/** A move's name as layers counted from a face, and clockwise quarters; null if it is none. */
export function readTurn(name, size) {
  const match = TURN.exec(name);
  if (!match) return null;
  const quarters = { undefined: 1, 2: 2, "'": 3 }[match[5] ?? match[7]];
  if (match[6]) {
    const letter = match[6];
    if (WHOLE[letter]) return { face: WHOLE[letter], first: 1, last: size, quarters };
    if (size < 3) return null;
    const first = Math.floor((size + 1) / 2);
    return { face: MIDDLE[letter], first, last: Math.floor(size / 2) + 1, quarters };
  }
  const last = Number(match[2] || (match[4] ? 2 : 1));
  const first = Number(match[1] || (match[4] ? 1 : last));
  if (last > size || first < 1 || first > last) return null;
  return { face: match[3], first, last, quarters };
}

/** A turn's axis (0 x, 1 y, 2 z), the slab it turns between -1 and 1, and its angle. */
export function slabOf({ face, first, last, quarters }, size) {
  const normal = AXES[face][0];
  const axis = normal.findIndex((x) => x !== 0);
  const sign = normal[axis];
  const outer = (size - 2 * (first - 1)) / size;
  const inner = (size - 2 * last) / size;
  const [low, high] = sign > 0 ? [inner, outer] : [-outer, -inner];
  const steps = quarters === 3 ? -1 : quarters; // a quarter back rather than three on
  return { axis, low, high, angle: (-sign * steps * Math.PI) / 2 };
}

/** The cells that a clockwise quarter turn of some layers brings to each place. */
function sources(size, face, first, last) {
  const { stickers, number, turns } = geometry(size);
  const key = `${face}${first}-${last}`;
  if (turns.has(key)) return turns.get(key);
  const axis = AXES[face][0];
  const turned = (v) => plus(times(axis, dot(v, axis)), cross(axis, v));
  const from = stickers.map((s) => {
    const depth = (size + 1 - dot(s.place, axis)) / 2;
    if (depth < first || depth > last) return s.cell;
    return number.get(`${turned(s.place)}|${turned(s.normal)}`);
  });
  turns.set(key, from);
  return from;
}

/** The name of a turn about an axis by signed quarters, by the face it is nearest to. */
export function nameTurn(size, axis, coordinate, quarters) {
  const depth = (size + 1 - coordinate) / 2; // from the face at the positive end
  const near = depth <= (size + 1) / 2;
  const face = ["RL", "UD", "FB"][axis][near ? 0 : 1];
  const layer = near ? depth : size + 1 - depth;
  const clockwise = (((near ? -quarters : quarters) % 4) + 4) % 4;
  if (!clockwise) return null;
  return (layer === 1 ? "" : layer) + face + ["", "", "2", "'"][clockwise];
}

export class CubeModel {
  constructor(info) {
    this.name = info.name;
    this.family = "cube";
    this.size = info.rows;
    this.goal = this.read(info.goal);
  }

  read(text) {
    return [...text.replace(/\s/g, "")].map((letter) => FACES.indexOf(letter));
  }

  write(state) {
    return state.map((colour) => FACES[colour] ?? ".").join("");
  }

  apply(state, name) {
    const turn = readTurn(name, this.size);
    if (!turn) return null;
    const from = sources(this.size, turn.face, turn.first, turn.last);
    let now = state;
    for (let i = 0; i < turn.quarters; i++) now = from.map((cell) => now[cell]);
    return now;
  }

  isSolved(state) {
    const area = this.size * this.size;
    return state.every((colour, cell) => colour >= 0 && colour === state[cell - (cell % area)]);
  }

  inverse(name) {
    if (name.endsWith("2")) return name;
    return name.endsWith("'") ? name.slice(0, -1) : `${name}'`;
  }

  /** Moves in steps that are shown one by one: two equal quarter turns are a half turn. */
  steps(moves) {
    const found = [];
    for (let i = 0; i < moves.length; i++) {
      const twice = moves[i] === moves[i + 1] && !moves[i].endsWith("2");
      const label = twice ? `${moves[i].replace("'", "")}2` : moves[i];
      found.push({ label, moves: twice ? [moves[i], moves[i]] : [moves[i]] });
      if (twice) i++;
    }
    return found.map((step) => ({ ...step, name: step.label, words: this.words(step.label) }));
  }

  words(name) {
    const turn = readTurn(name, this.size);
    if (!turn) return name;
    const way = ["", "clockwise", "half a turn", "counter-clockwise"][turn.quarters];
    if (turn.first === 1 && turn.last === this.size) return `whole cube about ${SIDES[turn.face]}, ${way}`;
    const layer = turn.last === 1 ? "" : `, layer ${turn.last}`;
    return `${SIDES[turn.face]}${layer}, ${way}`;
  }

  /** The turns of the whole cube that bring its fixed centres home; [] if they are. */
  upright(state) {
    if (this.size % 2 === 0) return [];
    const area = this.size * this.size;
    const centre = (area - 1) / 2;
    const home = (s) => [0, 2].every((face) => s[face * area + centre] === face);
    for (const first of ["", "x", "x2", "x'", "z", "z'"]) {
      for (const second of ["", "y", "y2", "y'"]) {
        const moves = [first, second].filter(Boolean);
        if (home(moves.reduce((s, move) => this.apply(s, move), state))) return moves;
      }
    }
    return [];
  }

  label(cell) {
    const { face, row, column } = geometry(this.size).stickers[cell];
    return `${SIDES[face]}, row ${row + 1}, column ${column + 1}`;
  }

  /** The cells of the pieces that a problem names, such as `URF`, `UF UR` or the wing `UF3r`. */
  cellsAt(problem) {
    const { pieces } = geometry(this.size);
    const middle = (this.size - 1) / 2;
    return problem.where.split(" ").flatMap((word) => {
      const match = /^([URFDLB]{1,3})(\d*)([urfdlb]?)$/.exec(word);
      if (!match || (match[1].length === 1 && problem.kind !== "centres")) return [];
      const [, letters, digits, near] = match;
      const wanted = [...letters].sort().join("");
      const piece = pieces.find((stickers) => {
        if (stickers.map((s) => s.face).sort().join("") !== wanted) return false;
        if (letters.length === 3) return true;
        const { place, row, column } = stickers[0];
        if (!near) return letters.length === 2 ? place.includes(0) : row === middle && column === middle;
        const axis = AXES[near.toUpperCase()][0];
        return dot(place, axis) === this.size + 1 - 2 * Number(digits || 2);
      });
      return (piece ?? []).map((s) => s.cell);
    });
  }

  /** Painted pieces that no cube has, found without asking: colours twice, or opposite ones. */
  impossible(state) {
    const problems = [];
    for (const stickers of geometry(this.size).pieces) {
      const shown = stickers.map((s) => state[s.cell]);
      if (stickers.length < 2 || shown.includes(-1)) continue;
      const twice = shown.find((colour, i) => shown.indexOf(colour) !== i);
      const opposite = shown.find((colour) => shown.includes((colour + 3) % 6));
      if (twice === undefined && opposite === undefined) continue;
      const reason = twice !== undefined
        ? "no piece has a colour twice"
        : `${COLOURS[FACES[opposite]]} and ${COLOURS[FACES[(opposite + 3) % 6]]} share no piece`;
      const place = stickers.map((s) => s.face).join("");
      const word = stickers.length === 3 ? "corner" : "edge";
      const colours = shown.map((colour) => COLOURS[FACES[colour]]).join(" and ");
      problems.push({
        kind: "impossible_piece",
        where: place,
        cells: stickers.map((s) => s.cell),
        sentence: `the ${word} at ${place} shows ${colours}, but ${reason}`,
      });
    }
    return problems;
  }
}
