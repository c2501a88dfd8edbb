// A solution played back: states are worked out once, so that any place can be shown at once.

import { byId, element, plural, say, toast } from "./dom.js";

const MOST = 3000; // moves that are listed one by one
const PACE = { cube: 420, sliding: 260, lightsout: 420, sokoban: 220, permutation: 420 };

export class Replay {
  constructor(on) {
    this.on = on; // show(state), animate(name, state, ms)
    this.steps = [];
    this.place = 0;
    this.playing = false;
    this.speed = 1;
    byId("first").addEventListener("click", () => this.go(0));
    byId("last").addEventListener("click", () => this.go(this.steps.length));
    byId("back").addEventListener("click", () => this.step(-1));
    byId("forward").addEventListener("click", () => this.step(1));
    byId("play").addEventListener("click", () => this.toggle());
    byId("scrub").addEventListener("input", (event) => this.go(Number(event.target.value)));
    byId("speed").addEventListener("change", (event) => (this.speed = Number(event.target.value)));
    byId("copy-moves").addEventListener("click", () => this.copy(this.notes.text, "Moves copied"));
    byId("copy-link").addEventListener("click", () => this.copy(location.href, "Link copied"));
    byId("moves").addEventListener("click", (event) => {
      const chip = event.target.closest("button");
      if (chip) this.go(Number(chip.dataset.place));
    });
  }

  get open() {
    return !byId("replay").hidden;
  }

  load(model, result, notes) {
    this.pause();
    this.notes = notes;
    this.pace = PACE[model.family];
    const start = model.read(result.state);
    this.steps = model.steps(result.moves, start);
    this.states = [start];
    this.ends = [0]; // moves made at each place
    for (const step of this.steps) {
      this.states.push(step.moves.reduce((state, move) => model.apply(state, move), this.states.at(-1)));
      this.ends.push(this.ends.at(-1) + step.moves.length);
    }
    this.describe(result);
    this.list();
    byId("scrub").max = this.steps.length;
    byId("replay").hidden = false;
    this.go(0);
  }

  close() {
    this.pause();
    byId("replay").hidden = true;
    this.steps = [];
  }

  // --- words

  describe(result) {
    const shortest = result.proof === "optimal";
    const length = result.length ? plural(result.length, "move") : "Solved already";
    byId("length").textContent = shortest && result.length ? `${length}, shortest` : length;
    byId("length").dataset.proved = String(shortest && result.length > 0);
    const notes = [];
    const { quarter_turns: quarters, half_turns: halves } = this.notes;
    if (quarters !== null && result.length) notes.push(plural(quarters, "quarter turn"), `${halves} where half turns count one`);
    if (!shortest && result.lower_bound > 0) notes.push(`at least ${plural(result.lower_bound, "move")} are needed`);
    if (shortest && result.length) notes.push("proved: nothing shorter exists");
    byId("length-notes").textContent = notes.join(" · ");
    const by = this.notes.estimated_by;
    const sources = { exact: "the exact distance home", manhattan: "a lower bound of the distance home" };
    const source = sources[by] ?? `the distance home as the net ${by} estimates it`;
    byId("estimate-note").textContent = by && result.length ? `Under each move: ${source}.` : "";
    byId("copy-moves").textContent = quarters === null ? "Copy moves" : "Copy as WCA";
  }

  list() {
    const box = byId("moves");
    box.replaceChildren();
    this.chips = [];
    if (this.steps.length > MOST) return;
    const estimates = this.notes.estimates;
    const most = Math.max(1, ...(estimates ?? []));
    this.steps.forEach((step, i) => {
      const chip = element("button", { type: "button", title: step.words }, step.label);
      chip.dataset.place = i + 1;
      if (step.push) chip.classList.add("push");
      const item = element("li", {}, chip);
      if (estimates) {
        const value = estimates[this.ends[i + 1]];
        const bar = element("i", { "aria-hidden": "true" });
        bar.style.setProperty("--part", value / most);
        const shown = Number.isInteger(value) ? value : value.toFixed(1);
        item.append(bar, element("small", { title: "estimated distance home" }, String(shown)));
      }
      box.append(item);
      this.chips.push(chip);
    });
  }

  // --- moving through it

  go(place) {
    this.pause();
    this.put(place);
    this.on.show(this.states[place]);
  }

  put(place) {
    const before = this.chips[this.place - 1];
    this.place = place;
    byId("scrub").value = place;
    byId("place").textContent = `${this.ends[place]} / ${this.ends.at(-1)}`;
    before?.removeAttribute("aria-current");
    const chip = this.chips[place - 1];
    if (chip) {
      chip.setAttribute("aria-current", "step");
      const item = chip.parentElement;
      const box = byId("moves");
      const [top, left] = [item.offsetTop, item.offsetLeft]; // within the list, which is positioned
      if (top < box.scrollTop || top + item.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = top - 20;
      if (left < box.scrollLeft || left + 2 * item.offsetWidth > box.scrollLeft + box.clientWidth) box.scrollLeft = left - 40;
    } else byId("moves").scrollTo(0, 0);
    byId("first").disabled = byId("back").disabled = place === 0;
    byId("last").disabled = byId("forward").disabled = place === this.steps.length;
  }

  /** One step on or back, animated. */
  async step(way, playing = false) {
    if (!playing) this.pause();
    const place = this.place + way;
    if (place < 0 || place > this.steps.length) return;
    const step = this.steps[way > 0 ? place - 1 : place];
    this.put(place);
    const end = place === this.steps.length ? ". Solved." : "";
    say(`${way > 0 ? "" : "back: "}${step.words}${end}`);
    const name = way > 0 ? step.name : this.on.inverse(step.name);
    const pause = playing ? 0.75 : 0.6;
    await this.on.animate(name, this.states[place], (this.pace / this.speed) * pause);
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  async play() {
    if (!this.steps.length) return;
    if (this.place === this.steps.length) this.go(0);
    this.playing = true;
    const round = (this.round = Symbol("play"));
    this.mark();
    while (this.playing && this.round === round && this.place < this.steps.length) {
      const [begun, beat] = [performance.now(), this.pace / this.speed];
      await this.step(1, true);
      const left = beat - (performance.now() - begun); // all of it where nothing is animated
      await new Promise((resolve) => setTimeout(resolve, Math.max(left, beat * 0.25)));
    }
    if (this.round === round) this.pause();
  }

  pause() {
    this.playing = false;
    this.mark();
  }

  mark() {
    byId("play").classList.toggle("playing", this.playing);
    byId("play").setAttribute("aria-label", this.playing ? "Pause" : "Play");
  }

  async copy(text, done) {
    try {
      await navigator.clipboard.writeText(text);
      toast(done);
    } catch {
      prompt("Copy this:", text); // no clipboard without a secure address
    }
  }
}
