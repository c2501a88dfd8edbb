// The server's API. A lost server is an error of its own kind, so that the page can wait for it.

export class Lost extends Error {}

export class Refused extends Error {
  constructor(status, body, retryAfter) {
    super(body.error ?? `the server answered ${status}`);
    this.status = status;
    this.problems = body.problems ?? [];
    this.retryAfter = retryAfter;
  }
}

async function ask(path, options) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Lost("the server does not answer");
  }
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Refused(answer.status, body, Number(answer.headers.get("retry-after") ?? 0));
  return body;
}

const post = (path, body) =>
  ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

export const health = () => ask("/api/health");
export const puzzles = () => ask("/api/puzzles");
export const puzzle = (name) => ask(`/api/puzzles/${encodeURIComponent(name)}`);
export const scramble = (name) => ask(`/api/scramble?puzzle=${encodeURIComponent(name)}`);
export const read = (wish) => post("/api/read", wish);
export const solve = (wish) => post("/api/solve", wish);
// Also when the page is being closed, which other requests do not survive.
export const cancel = (id) => ask(`/api/jobs/${id}`, { method: "DELETE", keepalive: true });

/** Listens to a job: `news(job)` until it has ended, `lost()` while the connection is down. */
export function listen(id, news, lost, gone) {
  const source = new EventSource(`/api/jobs/${id}/events`);
  const take = (event) => news(JSON.parse(event.data));
  source.addEventListener("progress", take);
  source.addEventListener("end", (event) => {
    source.close();
    take(event);
  });
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) gone();
    else lost();
  });
  return () => source.close();
}
