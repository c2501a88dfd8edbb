// Pasted text: a state or moves, from the goal or from here; a slip is shown where it is.

import * as api from "./api.js";
import { byId } from "./dom.js";
import { isState } from "./families.js";

export async function paste(app, here) {
  const text = byId("paste").value.trimEnd();
  const problem = byId("paste-problem");
  problem.hidden = true;
  if (!text.trim()) return;
  const wish = { puzzle: app.info.name };
  if (isState(app.model, text)) wish.state = text;
  else {
    wish.moves = text;
    if (here || !app.model.goal) wish.state = app.model.write(app.state);
  }
  const answer = await api.read(wish);
  if (answer.valid) return void (await app.adopt(answer));
  problem.hidden = false;
  problem.textContent = answer.problems.map(({ sentence }) => sentence).join("; ");
  const at = answer.problems[0].position;
  if (at === null || at === undefined) return;
  byId("paste").focus();
  byId("paste").setSelectionRange(at, at + 1);
}
