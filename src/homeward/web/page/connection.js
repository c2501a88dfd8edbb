// A lost server is told, asked for again and again, and what was wanted is then done.

import * as api from "./api.js";
import { byId, toast } from "./dom.js";

const AGAIN = 2000;

export class Connection {
  constructor() {
    this.resume = null;
    byId("retry").addEventListener("click", () => this.ping());
  }

  /** The server does not answer; `then` is what to do when it does. */
  lost(then) {
    if (then) this.resume = then;
    byId("lost").hidden = false;
    clearTimeout(this.pinging);
    this.pinging = setTimeout(() => this.ping(), AGAIN);
  }

  async ping() {
    clearTimeout(this.pinging);
    byId("lost-text").textContent = "The server does not answer. Trying again …";
    try {
      await api.health();
    } catch {
      this.lost();
      return;
    }
    const resume = this.resume;
    this.found();
    toast("The server is back");
    resume?.();
  }

  /** The server has answered. */
  found() {
    if (byId("lost").hidden) return;
    this.resume = null;
    clearTimeout(this.pinging);
    byId("lost").hidden = true;
  }
}
