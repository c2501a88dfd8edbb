// Solves that run on the server, one lane each: what they are doing, and what came of it.

import * as api from "./api.js";
import { count, element, plural } from "./dom.js";

const REASONS = {
  unsolvable: "No solution exists: the whole space was searched.",
  out_of_memory: "The memory was not enough.",
  cancelled: "Stopped before a solution was found.",
};

/** One solver's run at a state. `on.changed(lane)` is called with every news. */
export class Lane {
  constructor(wish, on) {
    this.wish = wish;
    this.on = on;
    this.job = null;
    this.stopped = false;
    this.error = "";
    this.waiting = 0;
    this.root = this.build();
    this.render();
  }

  get running() {
    return !this.error && (this.job === null || ["queued", "running"].includes(this.job.status));
  }

  get result() {
    return this.job?.result ?? null;
  }

  /** What came of it: solving, solved, stopped, spent, unsolvable or failed. */
  get outcome() {
    if (this.running) return "solving";
    if (this.error) return this.stopped ? "stopped" : "failed";
    if (this.stopped) return "stopped";
    if (this.result.moves) return "solved";
    return this.result.status === "unsolvable" ? "unsolvable" : "spent";
  }

  async start() {
    while (!this.stopped) {
      try {
        const job = await api.solve(this.wish);
        this.take(job);
        if (this.stopped) return void api.cancel(job.id).catch(() => {});
        this.hangUp = api.listen(job.id, (news) => this.take(news), () => this.on.lost(), () => this.gone());
        return;
      } catch (error) {
        if (error.status !== 503) return void this.fail(error);
        this.waiting = error.retryAfter || 1;
        this.render();
        await new Promise((resolve) => setTimeout(resolve, 1000 * Math.min(this.waiting, 5)));
      }
    }
    this.fail(new Error("stopped before it began"));
  }

  take(job) {
    this.waiting = 0;
    this.job = job;
    if (job.status === "failed") this.error = job.error;
    this.render();
    this.on.found();
    this.on.changed(this);
  }

  gone() {
    this.fail(new Error("the server has lost this solve: please try again"));
  }

  fail(error) {
    this.error = error.message;
    this.render();
    if (error instanceof api.Lost) this.on.lost();
    this.on.changed(this);
  }

  stop() {
    this.stopped = true;
    if (this.job && this.running) api.cancel(this.job.id).catch((error) => this.fail(error));
  }

  /** Forgets the job, and lets the server know. */
  leave() {
    this.hangUp?.();
    if (this.running) this.stop();
  }

  // --- its card

  build() {
    this.name = element("strong");
    this.badge = element("span", { class: "badge" });
    this.bar = element("div", { class: "bar", role: "presentation" }, element("i"));
    this.bests = element("p", { class: "bests" });
    this.facts = element("dl", { class: "facts" });
    this.words = element("p", { class: "doing" });
    this.more = element("div", { class: "buttons" });
    const head = element("div", { class: "lane-head" }, this.name, this.badge);
    return element("article", { class: "lane" }, head, this.bar, this.bests, this.facts, this.words, this.more);
  }

  render() {
    const { job, result } = this;
    const progress = job?.progress ?? { seconds: 0, generated: 0, per_second: 0, bests: [], lower_bound: 0, doing: "" };
    const outcome = this.outcome;
    this.root.dataset.outcome = outcome;
    const solver = result?.solver ?? this.wish.solver;
    this.name.textContent = this.wish.solver === "auto" && result ? `auto: ${solver}` : solver;
    this.badge.textContent = this.badgeText(outcome);
    this.bar.firstChild.style.transform = `scaleX(${Math.min(1, progress.seconds / this.wish.seconds)})`;
    this.bests.textContent = progress.bests.length ? `${progress.bests.slice(-6).join(" → ")} moves` : "";
    this.showFacts(progress);
    this.words.textContent = this.sentence(outcome, progress);
    this.offer(outcome);
  }

  badgeText(outcome) {
    if (this.waiting) return "busy";
    if (outcome === "solving") return this.job?.status === "running" ? "solving" : "waiting";
    if (outcome === "solved") return this.result.proof === "optimal" ? "shortest, proved" : "solved";
    return { spent: "budget spent", failed: "failed", stopped: "stopped", unsolvable: "unsolvable" }[outcome];
  }

  showFacts({ seconds, generated, per_second: rate, lower_bound: bound }) {
    const speed = this.running ? rate : seconds > 0 ? generated / seconds : 0;
    const facts = [
      ["Seconds", seconds.toFixed(seconds < 10 ? 1 : 0)],
      ["States made", count(generated)],
      ["A second", count(speed)],
      ["At least", bound ? plural(bound, "move") : "–"],
    ];
    const rows = facts.map(([key, value]) => element("div", {}, element("dt", {}, key), element("dd", {}, value)));
    this.facts.replaceChildren(...rows);
  }

  sentence(outcome, progress) {
    if (this.waiting) return "All solvers are busy; this one starts as soon as one is free.";
    if (outcome === "solving") {
      if (this.job?.status === "running") return progress.doing || "getting ready";
      return this.job?.ahead ? `${plural(this.job.ahead, "solve")} before this one` : "next in line";
    }
    if (this.error) return `${this.error[0].toUpperCase()}${this.error.slice(1)}.`;
    if (outcome === "stopped" && this.result.moves) return "Stopped. This is the best so far.";
    if (outcome === "solved") return "";
    if (this.result.status !== "out_of_time") return REASONS[this.result.status];
    return `${Math.round(this.result.seconds)} seconds were not enough.`;
  }

  /** What to do next, where there is something. */
  offer(outcome) {
    const buttons = [];
    const again = (label, changes) => {
      const button = element("button", { type: "button" }, label);
      button.addEventListener("click", () => this.on.again({ ...this.wish, ...changes }));
      buttons.push(button);
    };
    const longer = Math.min(600, Math.max(30, this.wish.seconds * 4));
    if (outcome === "spent" && this.wish.seconds < 600) again(`Look for ${longer} seconds`, { seconds: longer });
    if (outcome === "stopped") again("Look again", {});
    if (outcome === "failed") again("Try again", {});
    const open = outcome === "solved" && this.result.proof === "none" && this.result.moves.length;
    if (open && this.on.canProve(this.wish)) {
      again("Prove it shortest", { optimal: true, solver: "auto", seconds: Math.max(60, this.wish.seconds) });
    }
    if (this.on.isPair() && this.result?.moves) {
      const button = element("button", { type: "button" }, "Play this one");
      button.addEventListener("click", () => this.on.show(this));
      buttons.push(button);
    }
    const labels = buttons.map((button) => button.textContent).join();
    if (labels === this.offered) return;
    this.offered = labels;
    this.more.replaceChildren(...buttons);
  }
}
