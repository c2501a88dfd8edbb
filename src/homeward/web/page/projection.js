// A camera that looks at the middle of the cube: rotation, perspective, and the way back for rays.

const DISTANCE = 6.2;
const LIGHT = normalised([-0.12, 0.74, 0.66]);

function normalised(v) {
  const length = Math.hypot(...v);
  return v.map((x) => x / length);
}

/** `v` turned about a coordinate axis. */
export function turned(v, axis, angle) {
  if (!angle) return v;
  const c = Math.cos(angle), s = Math.sin(angle);
  const [a, b] = [(axis + 1) % 3, (axis + 2) % 3];
  const out = [...v];
  out[a] = c * v[a] - s * v[b];
  out[b] = s * v[a] + c * v[b];
  return out;
}

export class Camera {
  constructor() {
    this.home();
    this.middle = [0, 0];
    this.scale = 1;
  }

  /** The view that shows the top, the front and the right. */
  home() {
    this.yaw = -0.62;
    this.pitch = 0.52;
  }

  /** The view in which a face is seen best; "" is the usual one. */
  look(face) {
    const views = { U: [-0.3, 1.05], R: [-1.1, 0.45], L: [1.1, 0.45], B: [Math.PI - 0.5, 0.45], D: [-0.3, -1.05] };
    this.home();
    if (views[face]) [this.yaw, this.pitch] = views[face];
  }

  orbit(dx, dy) {
    this.yaw += dx;
    this.pitch = Math.max(-1.45, Math.min(1.45, this.pitch + dy));
  }

  resize(width, height) {
    this.middle = [width / 2, height / 2];
    this.scale = Math.min(width, height) * 0.262 * DISTANCE;
  }

  seen(v) {
    return turned(turned(v, 1, this.yaw), 0, this.pitch);
  }

  /** Where a point is on the screen. */
  project(v) {
    const [x, y, z] = this.seen(v);
    const k = this.scale / (DISTANCE - z);
    return [this.middle[0] + k * x, this.middle[1] - k * y];
  }

  /** The eye's place in the cube's own space. */
  get eye() {
    return turned(turned([0, 0, DISTANCE], 0, -this.pitch), 1, -this.yaw);
  }

  /** How bright a side with this normal is, from 0 to 1. */
  brightness(normal) {
    const n = this.seen(normal);
    const facing = Math.max(0, n[0] * LIGHT[0] + n[1] * LIGHT[1] + n[2] * LIGHT[2]);
    return 0.85 + 0.17 * facing;
  }
}

export function inside(point, polygon) {
  let within = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
    const [xi, yi] = polygon[i], [xj, yj] = polygon[j];
    const crosses = yi > point[1] !== yj > point[1];
    if (crosses && point[0] < ((xj - xi) * (point[1] - yi)) / (yj - yi) + xi) within = !within;
  }
  return within;
}

/** A square with round corners, as points in steps of its half side. */
export function roundSquare(half, radius) {
  const points = [];
  for (let corner = 0; corner < 4; corner++) {
    const [sx, sy] = [[1, 1], [-1, 1], [-1, -1], [1, -1]][corner];
    for (let i = 0; i <= 4; i++) {
      const angle = ((corner + i / 4) * Math.PI) / 2;
      points.push([
        sx * (half - radius) + radius * Math.cos(angle),
        sy * (half - radius) + radius * Math.sin(angle),
      ]);
    }
  }
  return points;
}
