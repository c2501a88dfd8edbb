// Keys for everything; `?` shows them.

import { byId, element } from "./dom.js";

const COMMON = [
  ["Enter", "solve, or stop"],
  ["n", "new scramble"],
  ["p", "paint or arrange your own"],
  ["Backspace", "undo"],
  ["Space", "play or pause the solution"],
  [", .", "one move back or on"],
  ["Home End", "to the start or the end of the solution"],
  ["v", "paste moves or a state"],
  ["a", "letters on stickers"],
  ["Esc", "stop, or leave painting"],
  ["?", "this list"],
];

export function showKeys(kind) {
  const rows = [...kind.keys, ...COMMON].flatMap(([keys, what]) => {
    const caps = keys.split(" ").map((key) => element("kbd", {}, key));
    return [element("dt", {}, ...caps), element("dd", {}, what)];
  });
  byId("key-list").replaceChildren(...rows);
  byId("keys").showModal();
}

// A button of a dialog keeps the focus for a moment after the dialog was closed.
const typing = (target) => target.closest?.("input, textarea, select, dialog[open]");

export function listenToKeys(app) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || app.mode === "loading") return;
    if (typing(event.target)) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (handle(app, event)) event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    const undoing = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z";
    if (!undoing || typing(event.target)) return;
    event.preventDefault();
    app.undo();
  });
}

function handle(app, event) {
  const { replay } = app;
  const onButton = event.target.closest?.("button, a, summary, [role=button]");
  if ((event.key === "Enter" || event.key === " ") && onButton) return false; // it is pressed
  if (replay.open) {
    const acts = {
      " ": () => replay.toggle(),
      ",": () => replay.step(-1),
      ".": () => replay.step(1),
      Home: () => replay.go(0),
      End: () => replay.go(replay.steps.length),
    };
    if (acts[event.key]) return acts[event.key](), true;
  }
  const acts = {
    Enter: () => app.solveOrStop(),
    Escape: () => (app.mode === "solving" ? app.solveOrStop() : app.editor.open && app.toggleEditing()),
    Backspace: () => app.undo(),
    "?": () => showKeys(app.kind),
  };
  if (acts[event.key]) return acts[event.key](), true;
  if (app.view?.key(event)) return true;
  const letters = {
    n: () => app.mode !== "solving" && app.scramble(),
    p: () => app.toggleEditing(),
    v: () => byId("paste").focus(),
    a: () => app.settings.setLetters(!app.settings.letters),
  };
  const act = event.altKey ? null : letters[event.key];
  if (act) act();
  return Boolean(act);
}
