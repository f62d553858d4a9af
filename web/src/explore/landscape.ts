// The log marginal likelihood as a map over two hyper-parameters, with the optimizer's path from here. A click goes there.
import { core } from "../core/client";
import { button, choice, el, field, showError, short } from "../dom";
import type { Curve } from "../state";

interface Answered {
  theta: number[];
  values: (number | null)[][];
  path: [number, number, number | null][];
}
const cells = 41;
const reach = 3.5; // in logarithms, to each side

/** Dark to light, by lightness alone, so that it can be read in any color. */
function shade(t: number): [number, number, number] {
  return [Math.round(20 + 225 * t), Math.round(40 + 190 * Math.sqrt(t)), Math.round(90 + 70 * t)];
}

export class Landscape {
  readonly root = el("details", { class: "landscape" }, el("summary", {}, "Landscape of the marginal likelihood"));
  private canvas = el("canvas", { width: 328, height: 328, role: "img" });
  private choices = el("div", {});
  private message = el("div", {});
  private caption = el("p", { class: "hint" });
  private first = -1;
  private second = -1;
  private names: string[] = [];
  private timer = 0;
  private centre: [number, number] = [0, 0];
  private answer?: Answered;

  constructor(private state: Curve, private go: (kernel: string, noise: number) => void) {
    this.root.append(this.choices, this.canvas, this.caption, button("Path of the optimizer from here", () => void this.compute(true), "small"), this.message);
    this.root.addEventListener("toggle", () => this.later());
    this.canvas.addEventListener("click", (event) => void this.jump(event));
  }

  later(): void {
    if (!this.root.open) return;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.compute(false), 150);
  }

  private async compute(path: boolean): Promise<void> {
    const s = this.state;
    if (s.points.length === 0) return showError(this.message, "There are no points yet.");
    try {
      const e = await core.call<{ parameters: { name: string; fixed: boolean; value: number }[] }>({ call: "explain", kernel: s.kernel, at: [s.left, s.right] });
      const free = e.parameters.filter((p) => !p.fixed);
      this.names = [...free.map((p) => p.name), "noise variance"];
      this.pick();
      const theta = [...free.map((p) => Math.log(p.value)), Math.log(s.noise)];
      this.centre = [theta[this.first], theta[this.second]];
      const line = (c: number) => Array.from({ length: cells }, (_, i) => c - reach + (2 * reach * i) / (cells - 1));
      const a = await core.last<Answered>("landscape", {
        call: "landscape", kernel: s.kernel, noise: s.noise, mean: s.mean, x: s.points.map((p) => p[0]), y: s.points.map((p) => p[1]),
        first: this.first, second: this.second, across: line(this.centre[0]), up: line(this.centre[1]), path,
      });
      if (!a) return;
      this.message.replaceChildren();
      this.answer = a;
      this.draw();
    } catch (why) {
      showError(this.message, why);
    }
  }

  private pick(): void {
    const n = this.names.length;
    if (this.first < 0 || this.first >= n) this.first = Math.max(0, this.names.findIndex((x) => x.endsWith("lengthscale")));
    if (this.second < 0 || this.second >= n || this.second === this.first) this.second = this.first === n - 1 ? 0 : n - 1;
    const menu = (label: string, value: number, set: (i: number) => void) =>
      field(label, choice(this.names.map((x, i) => [String(i), x]), String(value), (v) => {
        set(Number(v));
        void this.compute(false);
      }));
    this.choices.replaceChildren(menu("Across", this.first, (i) => (this.first = i)), menu("Up", this.second, (i) => (this.second = i)));
  }

  private draw(): void {
    const a = this.answer!;
    const g = this.canvas.getContext("2d")!;
    const size = this.canvas.width / cells;
    const known = a.values.flat().filter((v): v is number => v !== null);
    const best = Math.max(...known);
    const shown = 15; // nats below the best that are told apart
    g.clearRect(0, 0, this.canvas.width, this.canvas.height);
    a.values.forEach((row, j) =>
      row.forEach((v, i) => {
        const t = v === null ? 0 : Math.max(0, 1 - (best - v) / shown);
        g.fillStyle = `rgb(${shade(t).join(",")})`;
        g.fillRect(i * size, this.canvas.height - (j + 1) * size, size + 1, size + 1);
      }));
    const at = (u: number, v: number): [number, number] => [
      ((u - this.centre[0] + reach) / (2 * reach)) * this.canvas.width,
      this.canvas.height - ((v - this.centre[1] + reach) / (2 * reach)) * this.canvas.height,
    ];
    g.lineWidth = 2;
    g.strokeStyle = "#fff";
    g.beginPath();
    a.path.forEach(([u, v], k) => (k ? g.lineTo(...at(u, v)) : g.moveTo(...at(u, v))));
    g.stroke();
    for (const [k, mark] of [[0, "#fff"], [a.path.length - 1, "#000"]] as [number, string][]) {
      const p = a.path[k] ?? this.centre;
      g.beginPath();
      g.arc(...at(p[0], p[1]), 5, 0, 7);
      g.fillStyle = mark;
      g.fill();
      g.stroke();
    }
    const text = `Log marginal likelihood over ${this.names[this.first]} (${short(Math.exp(this.centre[0] - reach))} to ${short(Math.exp(this.centre[0] + reach))}) and ${this.names[this.second]} (${short(Math.exp(this.centre[1] - reach))} to ${short(Math.exp(this.centre[1] + reach))}), both in logarithms; best here ${best.toFixed(2)}.`;
    this.canvas.setAttribute("aria-label", text);
    this.caption.textContent = text + (a.path.length ? ` The optimizer made ${a.path.length} evaluations.` : " Click to go there.");
  }

  private async jump(event: MouseEvent): Promise<void> {
    if (!this.answer) return;
    const box = this.canvas.getBoundingClientRect();
    const u = this.centre[0] - reach + (2 * reach * (event.clientX - box.left)) / box.width;
    const v = this.centre[1] + reach - (2 * reach * (event.clientY - box.top)) / box.height;
    const theta = [...this.answer.theta];
    theta[this.first] = u;
    theta[this.second] = v;
    const noise = Math.exp(theta.pop()!);
    const r = await core.call<{ kernel: string }>({ call: "values", kernel: this.state.kernel, theta });
    this.go(r.kernel, noise);
  }
}
