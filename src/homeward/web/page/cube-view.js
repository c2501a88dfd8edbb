// The cube in three dimensions on a canvas: drawn, orbited, and turned by its stickers.

import { COLOURS, FACES, cross, geometry, nameTurn, readTurn, slabOf } from "./cube-model.js";
import { Camera, inside, roundSquare, turned } from "./projection.js";
import { NetView } from "./net-view.js";
import { element, reducedMotion } from "./dom.js";

export const PAINT = ["#f6f7f9", "#d62839", "#12a150", "#ffd43b", "#ff8c1a", "#1f6feb"];
const BLANK = [128, 134, 145];
const RGB = PAINT.map((hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)));
const PLASTIC = [22, 24, 29];
const NORMALS = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, 0, 0], [0, -1, 0], [0, 0, -1]];
const START = 7; // pixels before a press becomes a drag
const SNAP = 0.42; // radians after which a drag goes on to the next quarter

const shaded = (rgb, light) => `rgb(${rgb.map((c) => Math.min(255, Math.round(c * light))).join(" ")})`;
const along = (place, axis, size) => place[axis] / size;

export class CubeView {
  constructor(host, model, on) {
    this.model = model;
    this.on = on;
    this.size = model.size;
    this.camera = new Camera();
    this.shape = roundSquare(0.9 / this.size, 0.26 / this.size);
    this.state = model.goal;
    this.marked = new Set();
    this.turning = null;
    this.letters = false;
    this.editing = false;
    this.canvas = element("canvas", {
      tabindex: 0, class: "cube", role: "img", "aria-label": `${model.name}, drag layers to turn them`,
    });
    this.net = new NetView(model, PAINT, {
      paint: (cell) => this.on.paint(cell),
      type: (cell, letter) => this.on.type(cell, letter),
      face: (face) => this.on.face(face),
    });
    host.append(this.canvas, this.net.root);
    this.context = this.canvas.getContext("2d");
    this.watcher = new ResizeObserver(() => this.resize());
    this.watcher.observe(this.canvas);
    this.listen();
    this.resize();
  }

  destroy() {
    this.watcher.disconnect();
    this.finishTurn();
    cancelAnimationFrame(this.frame);
  }

  // --- what is shown

  show(state) {
    this.finishTurn();
    this.state = state;
    this.net.show(state);
    this.draw();
  }

  mark(cells) {
    this.marked = new Set(cells);
    this.net.mark(this.marked);
    this.draw();
  }

  setLetters(on) {
    this.letters = on;
    this.net.root.classList.toggle("lettered", on);
    this.draw();
  }

  /** Shows one face large in the net and turns the cube to it; "" is all of them again. */
  zoom(face) {
    this.net.zoom(face);
    this.camera.look(face);
    this.draw();
  }

  setEditing(on) {
    this.editing = on;
    this.net.setEditing(on);
    if (!on && this.net.face) this.zoom("");
    this.canvas.classList.toggle("painting", on);
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    const ratio = Math.min(devicePixelRatio || 1, 3);
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.camera.resize(width, height);
    this.ratio = ratio;
    this.paint();
  }

  // --- turning

  /** Turns layers by a move's name and ends with `after`; resolves when it stands still. */
  animate(name, after, ms) {
    this.finishTurn();
    const turn = readTurn(name, this.size);
    if (!turn || ms < 20 || reducedMotion() || document.hidden) {
      this.show(after);
      return Promise.resolve();
    }
    const slab = slabOf(turn, this.size);
    return this.swing({ ...slab, from: 0, to: slab.angle, after }, ms * (turn.quarters === 2 ? 1.4 : 1));
  }

  swing(turning, ms) {
    return new Promise((resolve) => {
      this.turning = { ...turning, start: performance.now(), ms, resolve };
      this.draw();
    });
  }

  finishTurn() {
    const turning = this.turning;
    if (!turning?.resolve) return;
    this.turning = null;
    if (turning.after) {
      this.state = turning.after;
      this.net.show(this.state);
    }
    turning.resolve();
  }

  /** The angle of the layers that turn now; ends the turn when its time is over. */
  angleNow(now) {
    const turning = this.turning;
    if (!turning) return 0;
    if (!turning.resolve) return turning.angle; // a finger holds it
    const part = Math.min(1, (now - turning.start) / turning.ms);
    const eased = 1 - (1 - part) ** 3;
    if (part >= 1) {
      this.finishTurn();
      return 0;
    }
    return turning.from + (turning.to - turning.from) * eased;
  }

  // --- drawing

  draw() {
    if (this.frame) return;
    this.frame = requestAnimationFrame((now) => {
      this.frame = 0;
      this.paint(now);
      if (this.turning?.resolve) this.draw();
    });
  }

  paint(now = performance.now()) {
    const angle = this.angleNow(now);
    const pen = this.context;
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.paintShadow(pen);
    for (const slab of this.slabs(angle)) this.paintSlab(pen, slab);
  }

  paintShadow(pen) {
    const { middle: [x, y], scale } = this.camera;
    const radius = scale * 0.24;
    pen.save();
    pen.translate(x, y + scale * 0.275);
    pen.scale(1, 0.2);
    const fade = pen.createRadialGradient(0, 0, radius * 0.2, 0, 0, radius);
    fade.addColorStop(0, "rgb(0 0 0 / 0.30)");
    fade.addColorStop(1, "rgb(0 0 0 / 0)");
    pen.fillStyle = fade;
    pen.beginPath();
    pen.arc(0, 0, radius, 0, 2 * Math.PI);
    pen.fill();
    pen.restore();
  }

  /** The cube in one or three slices along the turning axis, the farthest first. */
  slabs(angle) {
    const turning = this.turning;
    if (!turning) return [{ axis: 0, low: -1, high: 1, angle: 0 }];
    const { axis, low, high } = turning;
    const eye = this.camera.eye[axis];
    const slabs = [
      { axis, low: -1, high: low, angle: 0 },
      { axis, low, high, angle },
      { axis, low: high, high: 1, angle: 0 },
    ].filter((slab) => slab.high - slab.low > 1e-9);
    const gap = (slab) => Math.max(slab.low - eye, eye - slab.high, 0);
    return slabs.sort((a, b) => gap(b) - gap(a));
  }

  paintSlab(pen, slab) {
    const { axis, low, high, angle } = slab;
    const eye = turned(this.camera.eye, axis, -angle);
    for (const normal of NORMALS) {
      const k = normal.findIndex((x) => x !== 0);
      const depth = k === axis ? (normal[k] > 0 ? high : -low) : 1;
      if (normal[k] * eye[k] <= depth) continue;
      const light = this.camera.brightness(turned(normal, axis, angle));
      const corners = this.faceCorners(k, normal[k], depth, slab);
      this.fill(pen, corners, shaded(PLASTIC, k === axis && depth < 1 ? 0.7 : 0.75 + 0.4 * light));
      if (depth === 1) this.paintStickers(pen, slab, normal, light);
    }
  }

  faceCorners(k, sign, depth, { axis, low, high, angle }) {
    const [a, b] = [(k + 1) % 3, (k + 2) % 3];
    const range = (m) => (m === axis ? [low, high] : [-1, 1]);
    const ends = [[0, 0], [1, 0], [1, 1], [0, 1]];
    return ends.map(([i, j]) => {
      const point = [0, 0, 0];
      point[k] = sign * depth;
      point[a] = range(a)[i];
      point[b] = range(b)[j];
      return this.camera.project(turned(point, axis, angle));
    });
  }

  paintStickers(pen, slab, normal, light) {
    const { axis, low, high, angle } = slab;
    for (const sticker of geometry(this.size).stickers) {
      if (sticker.normal.some((x, i) => x !== normal[i])) continue;
      const at = along(sticker.place, axis, this.size);
      if (at < low || at > high) continue;
      const colour = this.state[sticker.cell];
      const outline = this.outline(sticker, this.shape, axis, angle);
      this.fill(pen, outline, shaded(RGB[colour] ?? BLANK, light));
      if (this.marked.has(sticker.cell)) this.ring(pen, outline);
      if (this.letters && colour >= 0) this.letter(pen, sticker, FACES[colour], colour, axis, angle);
    }
  }

  /** The sticker's outline on the screen. */
  outline({ place, normal, right, down }, shape, axis, angle) {
    const middle = place.map((x, i) => x / this.size + normal[i] * (1.012 - (this.size - 1) / this.size));
    return shape.map(([u, v]) => {
      const point = middle.map((x, i) => x + u * right[i] + v * down[i]);
      return this.camera.project(turned(point, axis, angle));
    });
  }

  fill(pen, points, style) {
    pen.beginPath();
    for (const [x, y] of points) pen.lineTo(x, y);
    pen.closePath();
    pen.fillStyle = style;
    pen.fill();
  }

  ring(pen, outline) {
    pen.lineJoin = "round";
    for (const [width, style] of [[7, "#fff"], [4, "#c2185b"]]) {
      pen.beginPath();
      for (const [x, y] of outline) pen.lineTo(x, y);
      pen.closePath();
      pen.lineWidth = width;
      pen.strokeStyle = style;
      pen.stroke();
    }
  }

  letter(pen, sticker, text, colour, axis, angle) {
    const half = 1 / this.size;
    const spots = [[0, 0], [half, 0], [0, half]];
    const [o, u, v] = this.outline(sticker, spots, axis, angle);
    const flat = [(u[0] - o[0]) / 50, (u[1] - o[1]) / 50, (v[0] - o[0]) / 50, (v[1] - o[1]) / 50];
    pen.save();
    pen.transform(...flat, o[0], o[1]);
    pen.font = "600 52px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillStyle = [0, 3, 4].includes(colour) ? "rgb(20 22 26 / 0.8)" : "rgb(255 255 255 / 0.92)";
    pen.fillText(text, 0, 3);
    pen.restore();
  }

  // --- pointers and keys

  listen() {
    const canvas = this.canvas;
    const fingers = new Map();
    let drag = null;
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
      if (fingers.size > 1) return void (drag = this.letGo(drag, true) ?? { kind: "orbit" });
      const sticker = event.button || event.shiftKey ? null : this.stickerAt(event.offsetX, event.offsetY);
      drag = { kind: sticker ? "press" : "orbit", sticker, from: [event.offsetX, event.offsetY] };
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!drag || !fingers.has(event.pointerId)) return;
      const [x, y] = fingers.get(event.pointerId);
      fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
      if (drag.kind === "press") drag = this.beginTurn(drag, event);
      if (drag.kind === "turn") this.holdTurn(drag, event);
      if (drag.kind !== "orbit") return;
      this.camera.orbit((event.offsetX - x) * 0.01, (event.offsetY - y) * 0.01);
      this.draw();
    });
    const up = (event) => {
      fingers.delete(event.pointerId);
      if (!drag || fingers.size) return;
      if (drag.kind === "press" && this.editing && event.type === "pointerup") this.on.paint(drag.sticker.cell);
      this.letGo(drag, event.type === "pointercancel");
      drag = null;
    };
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointercancel", up);
    canvas.addEventListener("dblclick", (event) => {
      if (this.stickerAt(event.offsetX, event.offsetY)) return;
      this.camera.home();
      this.draw();
    });
  }

  stickerAt(x, y) {
    const eye = this.camera.eye;
    const whole = roundSquare(1 / this.size, 0);
    return geometry(this.size).stickers.find((sticker) => {
      const k = sticker.normal.findIndex((n) => n !== 0);
      if (sticker.normal[k] * eye[k] <= 1) return false;
      return inside([x, y], this.outline(sticker, whole, 0, 0));
    });
  }

  /** Whether a finger holds the layers that turn. */
  get held() { return this.turning !== null && !this.turning.resolve; }

  /** A press that has moved far enough becomes a turn of the layer that lies along it. */
  beginTurn(drag, event) {
    const way = [event.offsetX - drag.from[0], event.offsetY - drag.from[1]];
    if (Math.hypot(...way) < START) return drag;
    if (this.editing) return { kind: "orbit" };
    this.on.held();
    this.finishTurn();
    const { sticker } = drag;
    const spots = [[0, 0], [0.5, 0], [0, 0.5]];
    const [o, u, v] = this.outline(sticker, spots, 0, 0);
    const options = [[u, sticker.right], [v, sticker.down]].map(([end, tangent]) => {
      const screen = [(end[0] - o[0]) * 2, (end[1] - o[1]) * 2]; // pixels for one unit
      const length = Math.hypot(...screen);
      return { tangent, screen, length, share: (way[0] * screen[0] + way[1] * screen[1]) / length };
    });
    const best = options.sort((a, b) => Math.abs(b.share) - Math.abs(a.share))[0];
    const about = cross(sticker.normal, best.tangent);
    const axis = about.findIndex((x) => x !== 0);
    const at = sticker.place[axis];
    this.turning = { axis, low: (at - 1) / this.size, high: (at + 1) / this.size, angle: 0 };
    return { ...drag, kind: "turn", axis, at, sign: about[axis], screen: best.screen, length: best.length };
  }

  holdTurn(drag, event) {
    const way = [event.offsetX - drag.from[0], event.offsetY - drag.from[1]];
    const moved = (way[0] * drag.screen[0] + way[1] * drag.screen[1]) / drag.length ** 2;
    if (!this.held) return; // something else turned the cube meanwhile
    this.turning = { ...this.turning, angle: drag.sign * moved };
    this.draw();
  }

  letGo(drag, cancelled) {
    if (drag?.kind !== "turn" || !this.held) return null;
    const { angle, axis, low, high } = this.turning;
    const whole = Math.trunc(angle / (Math.PI / 2));
    const rest = angle - (whole * Math.PI) / 2;
    const quarters = cancelled ? 0 : whole + (Math.abs(rest) > SNAP ? Math.sign(rest) : 0);
    const name = nameTurn(this.size, axis, drag.at, quarters);
    const after = name ? this.model.apply(this.state, name) : null;
    const ms = reducedMotion() ? 0 : 140;
    this.swing({ axis, low, high, from: angle, to: (quarters * Math.PI) / 2, after }, ms);
    if (name) this.on.moved(name, after);
    return null;
  }

  /** Arrows look around; letters turn faces, with shift the other way. */
  key(event) {
    const looks = { ArrowLeft: [-0.2, 0], ArrowRight: [0.2, 0], ArrowUp: [0, -0.2], ArrowDown: [0, 0.2] };
    if (looks[event.key]) {
      this.camera.orbit(...looks[event.key]);
      this.draw();
      return true;
    }
    if (!/^[urfdlbxyzmes]$/i.test(event.key) || this.editing) return false;
    const letter = event.key.toLowerCase();
    const face = "xyz".includes(letter) ? letter : letter.toUpperCase();
    if (!readTurn(face, this.size)) return false;
    const wide = event.altKey && FACES.includes(face) ? "w" : "";
    this.on.wish(face + wide + (event.shiftKey ? "'" : ""));
    return true;
  }
}
