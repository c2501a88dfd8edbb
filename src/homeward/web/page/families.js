// The puzzles that the page offers, and what each family needs: a model, a view, keys and hints.

import { LightsModel, RowsModel, SlidingModel, SokobanModel } from "./board-models.js";
import { LightsView, RowsView, SlidingView } from "./board-views.js";
import { CubeModel } from "./cube-model.js";
import { CubeView } from "./cube-view.js";
import { SokobanView } from "./sokoban-view.js";

export const FAMILIES = {
  cube: {
    Model: CubeModel,
    View: CubeView,
    edit: "Paint yours",
    hint: "Drag a layer to turn it, drag beside the cube to look around.",
    paste: "R U R' U'  or  facelets, face by face",
    keys: [
      ["u r f d l b", "turn a face; with Shift the other way, with Alt two layers"],
      ["m e s", "turn the middle layer"],
      ["x y z", "turn the whole cube"],
      ["arrows", "look around"],
    ],
  },
  sliding: {
    Model: SlidingModel,
    View: SlidingView,
    edit: "Arrange yours",
    hint: "Touch a tile in the blank's row or column.",
    paste: "numbers row by row, 0 the blank  or  U L D R",
    keys: [["arrows", "slide a tile that way"]],
  },
  lightsout: {
    Model: LightsModel,
    View: LightsView,
    edit: "Set yours",
    hint: "A press flips a lamp and its neighbours. Make it dark.",
    paste: "01101 …  or  1,2 3,3",
    keys: [["arrows", "go from lamp to lamp"], ["Space", "press it"]],
  },
  sokoban: {
    Model: SokobanModel,
    View: SokobanView,
    scramble: "New room",
    edit: null,
    hint: "Push every box onto a ring. Swipe, touch or use the arrows.",
    paste: "#####\n#@$.#\n#####",
    keys: [["arrows", "walk and push"]],
  },
  permutation: {
    Model: RowsModel,
    View: RowsView,
    edit: null,
    hint: "The buttons are the moves.",
    paste: "moves, or the symbols in order",
    keys: [["letters", "moves of that name; with Shift the other way"]],
  },
};

const MENU = [
  ["Cubes", ["cube2", "cube3", "cube3-htm", "cube4", "cube5", "cube6", "cube7"]],
  ["Sliding boards", ["puzzle8", "puzzle15", "puzzle24", "puzzle35", "puzzle48", "sliding-2x5", "sliding-3x4", "coiled15"]],
  ["Lights Out", ["lightsout3", "lightsout5", "lightsout7"]],
  ["Boxes", ["sokoban"]],
  ["Other puzzles", []],
];

const LABELS = {
  "cube3-htm": "3×3×3 cube, half turns count one",
  sokoban: "Sokoban",
  coiled15: "15-puzzle, coiled",
  cube2x2x2x2: "2×2×2×2 cube",
  pyraminx: "Pyraminx",
  "pyraminx-tips": "Pyraminx with tips",
  topspin: "TopSpin",
  pancake: "Pancakes",
};

export function label(name) {
  const cube = /^cube(\d+)$/.exec(name);
  if (cube) return `${cube[1]}×${cube[1]}×${cube[1]} cube`;
  const square = /^puzzle(\d+)$/.exec(name);
  if (square) return `${square[1]}-puzzle`;
  const board = /^sliding-(\d+)x(\d+)$/.exec(name);
  if (board) return `${board[1]}×${board[2]} board`;
  const lights = /^lightsout(\d+)$/.exec(name);
  if (lights) return `Lights Out ${lights[1]}×${lights[1]}`;
  return LABELS[name] ?? name;
}

/** The menu: [title, names] of each group; `listed` are the server's puzzles. */
export function menu(listed) {
  const others = listed.filter((p) => p.family === "permutation").map((p) => p.name);
  return MENU.map(([title, names]) => [title, names.length ? names : others]).filter(([, names]) => names.length);
}

/** The name that somebody may mean by a size: `9`, `9x9x9`, `4x6`, or a name itself. */
export function named(text, family) {
  const plain = text.trim().toLowerCase().replaceAll("×", "x");
  const size = /^(\d+)(?:x(\d+))?(?:x\d+)?$/.exec(plain);
  if (!size) return plain;
  const [, rows, columns = rows] = size;
  if (family === "sliding" || columns !== rows) return `sliding-${rows}x${columns}`;
  return family === "lightsout" ? `lightsout${rows}` : `cube${rows}`;
}

/** The symbols that a text consists of, or null if it has anything else. */
function symbolsIn(model, text) {
  const known = new Set(model.symbols);
  const single = model.symbols.every((name) => name.length === 1);
  const found = text.match(single ? /[^\s,|]/g : /[^\s,|]+/g) ?? [];
  return found.every((name) => known.has(name)) ? found : null;
}

/** Whether a pasted text is a state rather than moves. */
export function isState(model, text) {
  const plain = text.replace(/\s/g, "");
  if (model.family === "cube") return plain.length === 6 * model.size ** 2 && !/['()[\]]/.test(plain);
  if (model.family === "sliding") return /\d/.test(text) && !/[udlr]/i.test(text);
  if (model.family === "lightsout") return !text.includes(",") || /^[01,\s]*$/.test(text) && plain.length > 20;
  if (model.family === "sokoban") return /[#$@]/.test(text);
  return symbolsIn(model, text)?.length === model.goal.length;
}
