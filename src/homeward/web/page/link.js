// The state lives in the address, so that it can be shared and survives a reload.

const FLAGS = ["optimal"];

/** What the address says: puzzle, state, solver, against, seconds, optimal. */
export function readLink() {
  const given = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  for (const flag of FLAGS) given[flag] = given[flag] === "1";
  // A room's rows are parted by bars and its floor is dashes: spaces and new lines do not travel.
  if (given.puzzle?.startsWith("sokoban") && given.state) given.state = given.state.replaceAll("|", "\n");
  return given;
}

let last = "";
let later = 0;

export function writeLink({ puzzle, state, solver, against, seconds, optimal }) {
  const text = puzzle.startsWith("sokoban") ? state.replaceAll("\n", "|").replaceAll(" ", "-") : state;
  const wish = { puzzle, state: text };
  if (solver !== "auto") wish.solver = solver;
  if (against) wish.against = against;
  if (seconds !== 5) wish.seconds = seconds;
  if (optimal) wish.optimal = "1";
  const hash = `#${new URLSearchParams(wish)}`;
  if (hash === last) return;
  last = hash;
  clearTimeout(later);
  try {
    history.replaceState(null, "", hash);
  } catch { // some browsers allow a hundred of these in half a minute
    later = setTimeout(() => history.replaceState(null, "", last), 31_000);
  }
}

/** Calls back when somebody else changed the address: a link was opened, or edited by hand. */
export function onLink(callback) {
  addEventListener("hashchange", () => {
    if (location.hash === last || !location.hash.includes("=")) return;
    last = location.hash;
    callback(readLink());
  });
}
