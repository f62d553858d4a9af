// The companion to the lectures: the first ideas with a slider each. Every number is the core's.
import { scaleLinear } from "d3-scale";
import { line } from "d3-shape";
import { core } from "../core/client";
import { choice, el, field, short, showError, svg } from "../dom";

interface Curve {
  mean: number[];
  sd: number[];
  samples?: number[][];
}
const [width, height] = [340, 260];
const margin = { left: 34, right: 8, top: 8, bottom: 24 };

function frame(label: string, x: [number, number], y: [number, number]) {
  const picture = svg("svg", { class: "curve", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label });
  const sx = scaleLinear(x, [margin.left, width - margin.right]);
  const sy = scaleLinear(y, [height - margin.bottom, margin.top]);
  const axes = svg("g", { class: "axes" });
  for (const t of sx.ticks(5)) axes.append(svg("text", { x: sx(t), y: height - 6, "text-anchor": "middle" }, short(t)));
  for (const t of sy.ticks(5)) axes.append(svg("text", { x: margin.left - 6, y: sy(t) + 4, "text-anchor": "end" }, short(t)));
  picture.append(axes);
  const path = (points: [number, number][], kind: string) =>
    picture.append(svg("path", { class: kind, d: line<[number, number]>().x((p) => sx(p[0])).y((p) => sy(p[1]))(points) ?? "" }));
  return { picture, sx, sy, path };
}

function slider(text: string, low: number, high: number, value: number, step: number, changed: (v: number) => void): HTMLElement {
  const shown = el("output", {}, short(value));
  const input = el("input", { type: "range", min: low, max: high, step, value });
  input.addEventListener("input", () => {
    shown.textContent = short(Number(input.value));
    changed(Number(input.value));
  });
  const f = field(text, input);
  f.querySelector("label")!.append(" ", shown);
  return f;
}

/** A card with the output of `draw`, or its error. */
function figure(title: string, words: string, controls: HTMLElement[], draw: () => Promise<Node[]>): { root: HTMLElement; refresh: () => void } {
  const where = el("div", { class: "figure" });
  const refresh = () => void draw().then((nodes) => where.replaceChildren(...nodes), (why) => showError(where, why));
  return { root: el("section", { class: "card" }, el("h2", {}, title), el("p", { class: "hint" }, words), ...controls, where), refresh };
}

/** The length-scale at which points at distance 1 have this correlation under se(). */
const lengthscale = (rho: number) => Math.sqrt(-0.5 / Math.log(rho));

export class LecturesView {
  readonly root = el("section", { class: "lectures-view", "aria-label": "A companion to the lectures" });
  private figures: { root: HTMLElement; refresh: () => void }[] = [];
  private shown = false;

  constructor() {
    this.figures = [this.pair(), this.eight(), this.kernels(), this.heat()];
    this.root.append(...this.figures.map((f) => f.root));
  }
  show(): void {
    if (!this.shown) for (const f of this.figures) f.refresh();
    this.shown = true;
  }

  private pair() {
    let rho = 0.8, a = 1.5;
    const f = figure("A bivariate Gaussian and its conditional", "(f1, f2) with mean 0, variances 1 and correlation ρ. Given f2 = a, f1 is N(ρ a, 1 − ρ²): the slice through the ellipse.", [
      slider("ρ", 0.02, 0.99, rho, 0.01, (v) => ((rho = v), f.refresh())), slider("f2 = a", -2.5, 2.5, a, 0.1, (v) => ((a = v), f.refresh()))], async () => {
      const kernel = `se(lengthscale=${lengthscale(rho)})`;
      const k = await core.call<{ rows: number[][] }>({ call: "covariances", kernel, at: [0, 1] });
      const c = await core.call<Curve>({ call: "curve", kernel, noise: 1e-12, x: [1], y: [a], at: [0] });
      const { picture, path, sx, sy } = frame(`95 % ellipse of correlation ${short(rho)}, and the slice at ${short(a)}`, [-3.2, 3.2], [-3.2, 3.2]);
      const r = k.rows[0][1];
      const turn = Array.from({ length: 101 }, (_, i) => (2 * Math.PI * i) / 100);
      for (const reach of [1, 2.4477]) path(turn.map((t) => [reach * Math.cos(t), reach * (r * Math.cos(t) + Math.sqrt(1 - r * r) * Math.sin(t))]), "mean");
      path([[-3.2, a], [3.2, a]], "sample s0");
      const density = Array.from({ length: 81 }, (_, i) => -3.2 + 0.08 * i).map((x): [number, number] => [x, a + 0.9 * Math.exp(-0.5 * ((x - c.mean[0]) / c.sd[0]) ** 2)]);
      path(density, "sample s1");
      picture.append(svg("circle", { cx: sx(c.mean[0]), cy: sy(a), r: 4, class: "point" }));
      return [picture, el("p", {}, `f1 given f2 = ${short(a)}: mean ${short(c.mean[0])}, sd ${short(c.sd[0])}`)];
    });
    return f;
  }

  private eight() {
    let n = 8, l = 2;
    const f = figure("A Gaussian of many dimensions, index against value", "Eight numbers with covariance exp(−(i − j)² / 2l²) are a draw; with more indices between them it grows into a function.", [
      slider("Dimensions", 2, 120, n, 1, (v) => ((n = v), f.refresh())), slider("Length-scale l", 0.1, 5, l, 0.1, (v) => ((l = v), f.refresh()))], async () => {
      const at = Array.from({ length: n }, (_, i) => 1 + (7 * i) / (n - 1));
      const c = await core.call<Curve>({ call: "curve", kernel: `se(lengthscale=${l})`, noise: 1, x: [], y: [], at, draws: 3, seed: 1 });
      const { picture, path, sx, sy } = frame(`Three draws of a Gaussian of ${n} dimensions`, [1, 8], [-3.2, 3.2]);
      c.samples!.forEach((s, k) => {
        path(s.map((v, i): [number, number] => [at[i], v]), `sample s${k}`);
        if (n <= 40) s.forEach((v, i) => picture.append(svg("circle", { cx: sx(at[i]), cy: sy(v), r: 2.5, class: "point" })));
      });
      return [picture];
    });
    return f;
  }

  private kernels() {
    const all = ["se(lengthscale=1)", "matern12(lengthscale=1)", "matern32(lengthscale=1)", "periodic(period=3, lengthscale=1)", "linear(lengthscale=3)", "se(lengthscale=3) * periodic(period=2, lengthscale=1)"];
    return figure("Kernels side by side, with draws", "The kernel says what functions are like: how smooth, how fast they change, whether they repeat.", [], async () => {
      const at = Array.from({ length: 161 }, (_, i) => -4 + i / 20);
      const pictures: Node[] = [];
      for (const kernel of all) {
        const c = await core.call<Curve>({ call: "curve", kernel, noise: 1, x: [], y: [], at, draws: 3, seed: 2 });
        const { picture, path } = frame(`Three draws under ${kernel}`, [-4, 4], [-3.2, 3.2]);
        c.samples!.forEach((s, k) => path(s.map((v, i): [number, number] => [at[i], v]), `sample s${k}`));
        pictures.push(el("figure", {}, el("figcaption", {}, kernel), picture));
      }
      return [el("div", { class: "many" }, ...pictures)];
    });
  }

  private heat() {
    let kernel = "se(lengthscale=1)";
    const f = figure("A covariance matrix as a heat map", "K of 40 points from 0 to 10: dark is 0 or less, light the largest entry.", [
      field("Kernel", choice(["se(lengthscale=1)", "matern12(lengthscale=1)", "periodic(period=3, lengthscale=1)", "linear(lengthscale=3)", "1 + se(lengthscale=1)"], kernel, (v) => ((kernel = v), f.refresh())))], async () => {
      const n = 40;
      const at = Array.from({ length: n }, (_, i) => (10 * i) / (n - 1));
      const { rows } = await core.call<{ rows: number[][] }>({ call: "covariances", kernel, at });
      const most = Math.max(...rows.flat());
      const canvas = el("canvas", { width: 320, height: 320, role: "img", "aria-label": `Covariances under ${kernel}: ${short(rows[0][0])} on the diagonal at 0, ${short(rows[0][n - 1])} between 0 and 10` });
      const g = canvas.getContext("2d")!;
      rows.forEach((row, i) => row.forEach((v, j) => {
        const t = Math.max(0, v / most);
        g.fillStyle = `rgb(${Math.round(20 + 225 * t)},${Math.round(40 + 190 * Math.sqrt(t))},${Math.round(90 + 70 * t)})`;
        g.fillRect((j * 320) / n, (i * 320) / n, 320 / n + 1, 320 / n + 1);
      }));
      return [canvas];
    });
    return f;
  }
}
