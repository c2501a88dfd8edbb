// Small helpers for elements.

export const byId = (id) => document.getElementById(id);

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export function svgElement(tag, attributes = {}) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

export const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Says something to those who listen to the page rather than look at it. */
export function say(text) {
  byId("live").textContent = text;
}

let fading = 0;

/** Shows a short message for a moment, and says it. */
export function toast(text) {
  const box = byId("toast");
  box.textContent = text;
  box.classList.add("shown");
  clearTimeout(fading);
  fading = setTimeout(() => box.classList.remove("shown"), 1800);
  say(text);
}

/** A number in groups of three, short from a million on. */
export function count(number) {
  if (number < 1e6) return Math.round(number).toLocaleString("en");
  const [unit, word] = number < 1e9 ? [1e6, "million"] : [1e9, "billion"];
  return `${(number / unit).toFixed(number < 10 * unit ? 1 : 0)} ${word}`;
}

export const plural = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;
