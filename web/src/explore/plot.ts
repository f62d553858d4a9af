// The curve: axes, band, mean, draws and the points, which can be added, moved and removed by mouse, touch and keys.
import { extent } from "d3-array";
import { scaleLinear, type ScaleLinear } from "d3-scale";
import { area, line } from "d3-shape";
import { short, svg } from "../dom";

export interface Answered {
  mean: number[];
  sd: number[];
  z: number;
  log_marginal_likelihood: number | null;
  samples?: number[][];
}
export interface PlotEvents {
  add(x: number, y: number): void;
  move(i: number, x: number, y: number): void;
  remove(i: number): void;
}

const mostCircles = 300;
const radius = () => (matchMedia("(pointer: coarse)").matches ? "10" : "6");
const margin = { left: 46, right: 12, top: 12, bottom: 34 };

let plots = 0;

export class CurvePlot {
  readonly root: SVGSVGElement;
  private x: ScaleLinear<number, number> = scaleLinear();
  private y: ScaleLinear<number, number> = scaleLinear();
  private layers = {
    grid: svg("g", { class: "grid", "aria-hidden": "true" }),
    samples: svg("g", { class: "samples", "aria-hidden": "true" }),
    band: svg("path", { class: "band", "aria-hidden": "true" }),
    mean: svg("path", { class: "mean", "aria-hidden": "true" }),
    axes: svg("g", { class: "axes", "aria-hidden": "true" }),
    many: svg("path", { class: "many-points", "aria-hidden": "true" }),
    points: svg("g", {}),
  };
  private points: [number, number][] = [];
  private inner = svg("rect", {});
  private dragged = -1;
  private pressed = false; // the click that follows belongs to a circle
  selected = -1; // the point that was last in focus
  private width = 720;
  private height = 400;
  private yRange: [number, number] = [-4, 4];

  constructor(label: string, private events?: PlotEvents) {
    this.root = svg("svg", { class: "curve", role: "group", "aria-label": label });
    const clip = `clip-${++plots}`;
    this.root.append(svg("defs", {}, svg("clipPath", { id: clip }, this.inner)), this.layers.grid,
      svg("g", { "clip-path": `url(#${clip})` }, this.layers.band, this.layers.samples, this.layers.mean), this.layers.axes, this.layers.many, this.layers.points);
    if (events) this.listen();
  }

  private listen(): void {
    const at = (event: PointerEvent): [number, number] => {
      const box = this.root.getBoundingClientRect();
      return [this.x.invert(event.clientX - box.left), this.y.invert(event.clientY - box.top)];
    };
    this.root.addEventListener("pointerdown", (event) => {
      const circle = (event.target as Element).closest("circle");
      if (event.button > 0) return;
      const i = circle ? Number((circle as SVGCircleElement).dataset.index) : this.nearest(event);
      this.pressed = i >= 0;
      if (i >= 0) {
        this.dragged = this.selected = i;
        this.root.setPointerCapture(event.pointerId);
        event.preventDefault();
        (circle as SVGCircleElement | null)?.focus();
      }
    });
    this.root.addEventListener("pointermove", (event) => {
      if (this.dragged < 0) return;
      const [x, y] = at(event);
      const [low, high] = this.x.domain();
      this.events!.move(this.dragged, Math.min(high, Math.max(low, x)), y);
    });
    const end = () => (this.dragged = -1);
    this.root.addEventListener("pointerup", end);
    this.root.addEventListener("pointercancel", end);
    this.root.addEventListener("click", (event) => {
      if (this.pressed || (event.target as Element).closest("circle")) return;
      const [x, y] = at(event as PointerEvent);
      const [low, high] = this.x.domain();
      if (x >= low && x <= high) this.events!.add(x, y);
    });
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.root.addEventListener("focusin", (event) => {
      const circle = (event.target as Element).closest<SVGCircleElement>("circle");
      if (circle) this.selected = Number(circle.dataset.index);
    });
  }

  private key(event: KeyboardEvent): void {
    const circle = (event.target as Element).closest<SVGCircleElement>("circle");
    if (!circle) return;
    const i = Number(circle.dataset.index);
    const step = event.shiftKey ? 0.1 : 0.01;
    const dx = (this.x.domain()[1] - this.x.domain()[0]) * step;
    const dy = (this.y.domain()[1] - this.y.domain()[0]) * step;
    const [px, py] = [Number(circle.dataset.x), Number(circle.dataset.y)];
    const moves: Record<string, [number, number]> = { ArrowLeft: [-dx, 0], ArrowRight: [dx, 0], ArrowUp: [0, dy], ArrowDown: [0, -dy] };
    if (event.key in moves) {
      event.preventDefault();
      this.events!.move(i, px + moves[event.key][0], py + moves[event.key][1]);
    } else if (event.key === "Delete" || event.key === "Backspace") {
      event.preventDefault();
      this.events!.remove(i);
    }
  }

  /** Points of the grid that the answer is wanted at. */
  static grid(left: number, right: number, n = 201): number[] {
    return Array.from({ length: n }, (_, i) => left + ((right - left) * i) / (n - 1));
  }

  resize(width: number, height: number): void {
    this.width = width;
    this.height = height;
  }

  draw(left: number, right: number, points: [number, number][], at: number[], a: Answered | undefined, steady: boolean): void {
    const { width, height } = this;
    this.root.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.root.setAttribute("width", String(width));
    this.root.setAttribute("height", String(height));
    for (const [name, value] of Object.entries({ x: margin.left, y: margin.top, width: width - margin.left - margin.right, height: height - margin.top - margin.bottom }))
      this.inner.setAttribute(name, String(value));
    this.x = scaleLinear([left, right], [margin.left, width - margin.right]);
    if (!steady && this.dragged < 0) this.yRange = this.range(points, a);
    this.y = scaleLinear(this.yRange, [height - margin.bottom, margin.top]).nice();
    this.axes();
    if (a) this.curves(at, a);
    if (this.events || points.length) this.circles(points);
  }

  private range(points: [number, number][], a: Answered | undefined): [number, number] {
    const all = points.map((p) => p[1]);
    if (a) a.mean.forEach((m, i) => all.push(m - a.z * a.sd[i], m + a.z * a.sd[i]));
    a?.samples?.forEach((s) => all.push(...s));
    const [low = -3, high = 3] = extent(all.filter(Number.isFinite)) as [number, number];
    const pad = Math.max(0.1, 0.05 * (high - low));
    return [low - pad, high + pad];
  }

  private axes(): void {
    const { width, height } = this;
    const grid: Element[] = [];
    const marks: Element[] = [];
    for (const t of this.x.ticks(Math.max(4, width / 90))) {
      grid.push(svg("line", { x1: this.x(t), x2: this.x(t), y1: margin.top, y2: height - margin.bottom }));
      marks.push(svg("text", { x: this.x(t), y: height - margin.bottom + 18, "text-anchor": "middle" }, short(t)));
    }
    for (const t of this.y.ticks(Math.max(4, height / 60))) {
      grid.push(svg("line", { x1: margin.left, x2: width - margin.right, y1: this.y(t), y2: this.y(t) }));
      marks.push(svg("text", { x: margin.left - 8, y: this.y(t) + 4, "text-anchor": "end" }, short(t)));
    }
    this.layers.grid.replaceChildren(...grid);
    this.layers.axes.replaceChildren(...marks);
  }

  private curves(at: number[], a: Answered): void {
    const band = area<number>().x((_, i) => this.x(at[i])).y0((m, i) => this.y(m - a.z * a.sd[i])).y1((m, i) => this.y(m + a.z * a.sd[i]));
    const path = line<number>().x((_, i) => this.x(at[i])).y((v) => this.y(v));
    this.layers.band.setAttribute("d", band(a.mean) ?? "");
    this.layers.mean.setAttribute("d", path(a.mean) ?? "");
    this.layers.samples.replaceChildren(...(a.samples ?? []).map((s, k) => svg("path", { d: path(s) ?? "", class: `sample s${k % 3}` })));
  }

  /** The circles stay the same elements, so that the one in focus keeps it. Many points are one path. */
  private circles(points: [number, number][]): void {
    this.points = points;
    const many = points.length > mostCircles;
    this.layers.many.setAttribute("d", many ? points.map(([x, y]) => `M${this.x(x).toFixed(1)} ${this.y(y).toFixed(1)}h0`).join("") : "");
    const group = this.layers.points;
    const count = many ? 0 : points.length;
    while (group.childElementCount > count) group.lastElementChild!.remove();
    while (group.childElementCount < count) group.append(svg("circle", { class: "point", r: radius() }));
    if (many) return;
    points.forEach(([px, py], i) => {
      const c = group.children[i] as SVGCircleElement;
      c.setAttribute("cx", this.x(px).toFixed(2));
      c.setAttribute("cy", this.y(py).toFixed(2));
      if (!this.events) return;
      c.dataset.index = String(i);
      c.dataset.x = String(px);
      c.dataset.y = String(py);
      c.setAttribute("tabindex", "0");
      c.setAttribute("role", "button");
      c.setAttribute("aria-label", `Point ${i + 1} of ${points.length}: x ${short(px, 3)}, y ${short(py, 3)}`);
    });
  }

  /** Of many points, the one that is pressed; -1: none. */
  private nearest(event: PointerEvent): number {
    if (this.points.length <= mostCircles) return -1;
    const box = this.root.getBoundingClientRect();
    const [u, v] = [event.clientX - box.left, event.clientY - box.top];
    let best = -1, least = 8 * 8;
    this.points.forEach(([x, y], i) => {
      const d = (this.x(x) - u) ** 2 + (this.y(y) - v) ** 2;
      if (d < least) [best, least] = [i, d];
    });
    return best;
  }

  focus(i: number): void {
    (this.layers.points.children[i] as SVGCircleElement | undefined)?.focus();
  }
}
