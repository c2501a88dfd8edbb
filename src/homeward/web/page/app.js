// The page: one puzzle, one state, and everything that can be done with it.

import * as api from "./api.js";
import { byId, say, toast } from "./dom.js";
import { Editor } from "./editor.js";
import { FAMILIES, label } from "./families.js";
import { Connection } from "./connection.js";
import { listenToKeys, showKeys } from "./keys.js";
import { Lanes } from "./lanes.js";
import { Menu } from "./menu.js";
import { onLink, readLink, writeLink } from "./link.js";
import { paste } from "./paste.js";
import { Replay } from "./replay.js";
import { Settings } from "./settings.js";

const MOVE_MS = 170;
const UNDO = 500;

class App {
  constructor() {
    this.queue = [];
    this.undos = [];
    this.asked = null; // the last question to the server that may change the state
    this.lanes = new Lanes({
      play: (lane) => this.play(lane),
      settled: (outcome) => this.setMode(outcome),
      again: (wish) => this.again(wish),
      lost: () => this.connection.lost(),
      found: () => this.connection.found(),
      canProve: (wish) => !wish.optimal && this.info.solvers.some((solver) => solver.proves),
    });
    this.settings = new Settings({ changed: () => this.link(), letters: (on) => this.view?.setLetters(on) });
    this.replay = new Replay({
      show: (state) => this.display(state),
      animate: (name, state, ms) => this.animate(name, state, ms),
      inverse: (name) => this.model.inverse?.(name) ?? name,
    });
    this.editor = new Editor({
      state: () => this.state,
      model: () => this.model,
      changed: (state) => this.edited(state),
      mark: (cells) => this.view.mark(cells),
      zoom: (face) => this.view.zoom(face),
      verdict: (kind) => this.judged(kind),
      lost: () => this.connection.lost(),
    });
    this.connection = new Connection();
    this.menu = new Menu((name) => this.open({ puzzle: name }));
    this.wire();
    listenToKeys(this);
    onLink((link) => this.open(link));
  }

  get mode() { return document.body.dataset.state; }

  setMode(mode) {
    document.body.dataset.state = mode;
    const busy = mode === "solving";
    byId("solve").textContent = busy ? "Stop" : "Solve";
    byId("solve").classList.toggle("stop", busy);
    const loading = mode === "loading";
    byId("solve").disabled = loading || mode === "invalid" || (mode === "editing" && this.unfinished);
    for (const id of ["scramble", "edit", "reset", "paste-solved", "paste-here"]) byId(id).disabled = busy || loading;
    byId("undo").disabled = busy || !this.undos.length;
  }

  // --- beginnings

  async begin() {
    await this.open(readLink());
    api.puzzles().then((listed) => this.menu.fill(listed), () => {});
  }

  /** Opens what a link says; what is wrong with it is told, and the rest is shown. */
  async open(link) {
    const name = link.puzzle || "cube3";
    const opening = (this.opening = Symbol("open")); // what is opened later wins, not what comes later
    this.setMode("loading");
    try {
      if (!(await this.load(name))) return;
      this.settings.take(link, this.info);
      if (link.state) await this.readState(link.state);
      else if (this.model.family === "sokoban") await this.scramble();
    } catch (error) {
      if (this.opening !== opening) return;
      if (error instanceof api.Lost) return this.connection.lost(() => this.open(link));
      toast(`${error.message}.`);
      if (!this.info) await this.load("cube3");
      else if (this.lanes.running) this.setMode("solving");
    }
    if (this.opening !== opening) return;
    if (this.mode === "loading") this.rest();
    this.link();
  }

  /** Shows another puzzle; false if yet another one was opened meanwhile. */
  async load(name) {
    const { opening } = this;
    const info = await api.puzzle(name);
    if (this.opening !== opening) return false;
    this.connection.found();
    this.drop();
    this.view?.destroy();
    this.info = info;
    this.kind = FAMILIES[info.family];
    this.model = new this.kind.Model(info);
    byId("view").replaceChildren();
    byId("view").dataset.family = info.family;
    this.view = new this.kind.View(byId("view"), this.model, {
      wish: (...moves) => this.wish(...moves),
      held: () => this.hold(),
      moved: (move, after) => this.moved(move, after),
      paint: (cell) => this.editor.paint(cell),
      type: (cell, letter) => this.editor.type(cell, letter),
      face: (face) => this.editor.show(face),
      edited: (state) => this.edited(state),
    });
    this.view.setLetters(this.settings.letters);
    byId("edit").hidden = !this.kind.edit;
    byId("scramble").textContent = this.kind.scramble ?? "Scramble";
    byId("reset").hidden = info.family === "sokoban";
    byId("paste").placeholder = this.kind.paste;
    byId("paste").rows = info.family === "sokoban" ? 5 : 2;
    document.title = `${label(info.name)} – homeward`;
    this.settings.fill(info);
    this.menu.choose(info);
    this.stopEditing();
    this.undos = [];
    this.queue = [];
    this.state = null; // the last puzzle's says nothing here
    if (this.model.goal) this.display(this.model.goal);
    return true;
  }

  /** Forgets solutions: the state is no longer the one that was solved. */
  drop() {
    this.lanes.clear();
    this.replay.close();
  }

  /** Idle again: nothing runs and nothing is wrong. */
  rest() {
    this.editor.clearVerdict();
    byId("hint").textContent = this.kind.hint;
    this.setMode("idle");
  }

  // --- the state

  display(state) {
    this.state = state;
    this.view.show(state);
    this.link();
  }

  animate(name, state, ms) {
    this.state = state;
    this.link();
    return this.view.animate(name, state, ms);
  }

  /** A new state from outside: undone by one press, and free of old solutions. */
  put(state) {
    this.remember();
    this.replace(state);
  }

  replace(state) {
    this.drop();
    this.queue = [];
    this.display(state);
    if (this.editor.open) this.editor.check();
    else this.rest();
  }

  remember() {
    if (this.state) this.undos.push(this.state);
    if (this.undos.length > UNDO) this.undos.shift();
  }

  undo() {
    if (!this.undos.length || this.mode === "solving") return;
    this.replace(this.undos.pop());
  }

  /** Moves that somebody wants to make; fast hands are kept up with. */
  async wish(...moves) {
    if (["solving", "loading"].includes(this.mode) || this.editor.open) return;
    this.queue.push(...moves);
    if (this.busy) return;
    this.busy = true;
    try {
      while (this.queue.length) await this.make(this.queue.shift());
    } finally {
      this.busy = false;
    }
    if (this.state) this.celebrate();
  }

  async make(move) {
    const after = this.model.apply(this.state, move);
    if (!after) return;
    const words = this.model.words(move, this.state);
    this.before();
    say(this.model.isSolved(after) ? `${words}. Solved.` : words);
    await this.animate(move, after, this.queue.length > 1 ? MOVE_MS / 3 : MOVE_MS);
  }

  /** A finger holds a layer: nothing else turns meanwhile. */
  hold() {
    this.queue = [];
    this.replay.pause();
  }

  /** A layer that was turned by hand and is already on its way. */
  moved(move, after) {
    if (this.mode === "solving") return void this.display(this.state);
    say(this.model.words(move));
    this.before();
    this.state = after;
    this.link();
    this.celebrate();
  }

  before() {
    this.remember();
    if (this.lanes.all.length) this.drop();
    if (this.mode !== "idle") this.rest();
    byId("undo").disabled = false;
  }

  celebrate() {
    if (this.model.isSolved(this.state)) toast("Solved");
  }

  link() {
    if (!this.info || !this.state || this.state.includes(-1)) return; // unpainted stickers do not travel
    const state = this.lanes.solved ?? this.model.write(this.state);
    writeLink({ puzzle: this.info.name, state, ...this.settings.wish });
  }

  // --- what the buttons do

  wire() {
    const click = (id, act) => byId(id).addEventListener("click", act);
    click("scramble", () => this.scramble());
    click("edit", () => this.toggleEditing());
    click("undo", () => this.undo());
    click("reset", () => this.put(this.model.goal));
    click("solve", () => this.solveOrStop());
    click("paste-solved", () => this.attempt(() => paste(this, false)));
    click("paste-here", () => this.attempt(() => paste(this, true)));
    click("help", () => showKeys(this.kind));
    document.querySelector(".skip").addEventListener("click", (event) => {
      event.preventDefault(); // the address is a link to the state, and no place on the page
      byId("solve").focus();
    });
    addEventListener("pagehide", () => this.lanes.leave());
    document.querySelector(".brand").addEventListener("click", (event) => {
      event.preventDefault();
      this.open({});
    });
  }

  /** Runs something that asks the server for a state; who solves waits for it. */
  attempt(act) {
    const asked = this.tell(act);
    this.asked = Promise.all([this.asked, asked]).then(() => {});
    return asked;
  }

  /** A lost server is waited for, other errors are told. */
  async tell(act) {
    try {
      return await act();
    } catch (error) {
      if (error instanceof api.Lost) this.connection.lost(() => this.attempt(act));
      else toast(`${error.message}.`);
      return undefined;
    }
  }

  scramble() {
    return this.attempt(async () => {
      const { info } = this;
      const { state } = await api.scramble(info.name);
      if (info !== this.info) return; // it is another puzzle's
      this.put(this.model.read(state));
      say("Scrambled.");
    });
  }

  async readState(text) {
    const { info } = this;
    const answer = await api.read({ puzzle: info.name, state: text });
    if (info !== this.info) return;
    if (!answer.valid) throw new Error(answer.problems[0].sentence);
    await this.adopt(answer);
  }

  /** Shows what the server has read; a board of another size is another puzzle. */
  async adopt({ puzzle, state }) {
    if (puzzle !== this.info.name && !(await this.load(puzzle))) return;
    this.put(this.model.read(state));
  }

  // --- editing

  toggleEditing() {
    if (this.mode === "solving" || !this.kind.edit) return;
    if (this.editor.open) {
      this.stopEditing();
      if (this.mode !== "invalid" && !this.unfinished) this.rest();
      return;
    }
    this.drop();
    this.queue = [];
    byId("edit").setAttribute("aria-pressed", "true");
    byId("edit").lastElementChild.textContent = "Done";
    this.view.setEditing(true);
    this.editor.start();
  }

  stopEditing() {
    this.editor.stop();
    byId("edit").setAttribute("aria-pressed", "false");
    byId("edit").lastElementChild.textContent = this.kind.edit ?? "";
    byId("hint").textContent = this.kind.hint;
    this.view?.setEditing(false);
  }

  edited(state) {
    this.remember();
    this.display(state);
    this.editor.check();
  }

  judged(kind) {
    this.unfinished = kind === "open";
    this.setMode(kind === "bad" ? "invalid" : "editing");
  }

  // --- solving

  async solveOrStop() {
    if (this.mode === "solving") return this.lanes.stop();
    if (this.starting) return;
    this.starting = true;
    try {
      await this.asked; // a scramble on its way is what is to be solved
      if (!byId("solve").disabled) await this.solve();
    } finally {
      this.starting = false;
    }
  }

  async solve() {
    this.queue = [];
    this.rewind();
    this.stopEditing();
    this.editor.clearVerdict();
    for (const move of this.model.upright?.(this.state) ?? []) {
      await this.animate(move, this.model.apply(this.state, move), 250);
    }
    const { solver, against, seconds, optimal } = this.settings.wish;
    const wish = { puzzle: this.info.name, state: this.model.write(this.state), seconds };
    const solvers = against ? [solver, against] : [solver];
    this.run(solvers.map((name) => ({ ...wish, solver: name, optimal: optimal && this.settings.canProve(name) })));
  }

  /** Back to the state that was solved. */
  rewind() {
    if (this.lanes.solved) this.display(this.model.read(this.lanes.solved));
  }

  run(wishes) {
    this.drop();
    byId("hint").textContent = "";
    this.setMode("solving");
    say("Solving.");
    this.lanes.start(wishes);
  }

  /** The same state once more, with other wishes. */
  again(wish) {
    this.settings.takeWish(wish);
    this.rewind();
    this.run([wish]);
    this.link();
  }

  play({ result, job }) {
    this.undos.push(this.state);
    this.replay.load(this.model, result, job.replay);
  }
}

const app = new App();
globalThis.homeward = app; // for tests and for the curious
app.begin();
