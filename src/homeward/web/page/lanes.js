// The lanes of one solve beside each other, and the one whose solution is played.

import { byId, say } from "./dom.js";
import { Lane } from "./solving.js";

export class Lanes {
  /** `on` hears of `play(lane)`, `settled(outcome)`, `again(wish)`, `lost()`, `found()`; it knows `canProve(wish)`. */
  constructor(on) {
    this.on = on;
    this.all = [];
    this.shown = null; // the lane whose solution is played
  }

  get running() { return this.all.some((lane) => lane.running); }

  /** The state whose solution is played, as text. */
  get solved() { return this.shown?.result.state; }

  start(wishes) {
    this.clear();
    this.all = wishes.map((wish) => new Lane(wish, {
      ...this.on,
      changed: (lane) => this.news(lane),
      isPair: () => wishes.length > 1,
      show: (lane) => this.choose(lane),
    }));
    byId("lanes").replaceChildren(...this.all.map((lane) => lane.root));
    byId("lanes").dataset.count = this.all.length;
    for (const lane of this.all) {
      lane.root.addEventListener("click", (event) => {
        if (!event.target.closest("button") && lane.result?.moves) this.choose(lane);
      });
      lane.start();
    }
  }

  stop() {
    for (const lane of this.all) if (lane.running) lane.stop();
  }

  /** The server need not go on; the cards stay. */
  leave() {
    for (const lane of this.all) lane.leave();
  }

  clear() {
    this.leave();
    this.all = [];
    this.shown = null;
    byId("lanes").replaceChildren();
  }

  news(lane) {
    if (!this.all.includes(lane) || lane.running) return;
    const done = lane.result?.moves ? lane : null;
    const rank = ({ result }) => result.length - (result.proof === "optimal" ? 0.5 : 0);
    if (done && (!this.shown || rank(lane) < rank(this.shown))) this.choose(lane);
    if (this.running) return;
    this.on.settled((this.shown ?? lane).outcome);
    say(this.shown ? byId("length").textContent : lane.words.textContent);
  }

  choose(lane) {
    this.shown = lane;
    for (const other of this.all) other.root.classList.toggle("shown", other === lane && this.all.length > 1);
    this.on.play(lane);
  }
}
