// The first screen: a curve to play with.
import { core, CoreError } from "../core/client";
import { button, check, choice, el, field, say, short, showError } from "../dom";
import type { Curve } from "../state";
import { Landscape } from "./landscape";
import { menus } from "./kernel";
import { type Answered, CurvePlot } from "./plot";

export interface Parameter {
  name: string;
  role: string;
  value: number | null;
  fixed: boolean;
}
interface Explained {
  words: { kernel: string; words: string }[];
  drawable: string;
  parameters: Parameter[];
}
export interface Fitted {
  kernel: string;
  noise: number;
  log_marginal_likelihood: number;
  evaluations: number;
  optima: number;
  seconds: number;
  notes: string[];
  parameters: Parameter[];
}

const ranges: Record<string, [number, number]> = {
  "length-scale": [0.03, 100], variance: [0.001, 1000], period: [0.1, 100], noise: [1e-6, 10],
};
const rangeOf = (role: string): [number, number] => ranges[role] ?? [0.01, 100];
const slots = 400; // steps of a slider, in logarithms

/** An expression with its numbers shortened for reading. */
const shortened = (kernel: string) => kernel.replace(/\d+\.\d{4,}(e[-+]?\d+)?/g, (n) => short(Number(n)));

export class CurveView {
  readonly root = el("section", { class: "curve-view", "aria-label": "A curve and its points" });
  private plot: CurvePlot;
  private prior: CurvePlot;
  private plots = el("div", { class: "plots" });
  private priorFigure = el("figure", {});
  private panel = el("div", { class: "panel" });
  private words = el("ul", { class: "words" });
  private error = el("div", {});
  private sliders = el("div", { class: "sliders" });
  private menuBox = el("div", {});
  private evidence = el("output", { class: "evidence" });
  private text = el("input", { type: "text", spellcheck: "false", autocomplete: "off" });
  private fitted = el("div", { class: "fitted" });
  private list = el("p", { class: "hint" });
  private parameters: Parameter[] = [];
  private answer?: Answered;
  private priorAnswer?: Answered;
  private landscape: Landscape;
  private sliding = false;

  constructor(private state: Curve, private names: string[], private changed: () => void) {
    const s = this.state;
    this.plot = new CurvePlot("Data and posterior. Click to add a point; drag, or use the arrow keys, to move one; Delete removes it.", {
      add: (x, y) => this.add(x, y),
      move: (i, x, y) => this.move(i, x, y),
      remove: (i) => this.remove(i),
    });
    this.prior = new CurvePlot("Prior: the same kernel before any data");
    this.landscape = new Landscape(this.state, (kernel, noise) => this.set(kernel, noise));
    this.priorFigure.append(el("figcaption", {}, "Prior"), this.prior.root);
    this.plots.append(this.priorFigure, el("figure", {}, el("figcaption", {}, "Posterior"), this.plot.root));
    this.text.addEventListener("change", () => void this.setKernel(this.text.value));
    this.root.append(el("div", { class: "stage" }, this.plots, this.list, this.toolbar(), this.landscape.root), this.panel);
    this.panel.append(
      el("h2", {}, "Kernel"), this.menuBox, field("Kernel expression", this.text), this.words, this.error,
      el("h2", {}, "Hyper-parameters"), this.sliders,
      el("p", { class: "evidence-line" }, "Log marginal likelihood ", this.evidence),
      el("div", { class: "row" }, button("Fit", () => void this.fit(), "primary")), this.fitted,
      el("h2", {}, "Show"),
      field("Band of", choice([["f", "f, the function"], ["y", "y, a new observation"]], s.of, (v) => this.update({ of: v as "f" | "y" }))),
      field("Interval", choice(["90", "95", "99"].map((v) => [v, `${v} %`] as [string, string]), String(s.interval), (v) => this.update({ interval: Number(v) }))),
      field("Samples", choice(["0", "1", "3", "10"], String(s.draws), (v) => this.update({ draws: Number(v) }))),
      el("div", { class: "row" },
        check("Prior beside it", s.sideBySide, (v) => this.update({ sideBySide: v })),
        button("Other samples", () => this.update({ seed: s.seed + 1 }), "small")),
    );
    new ResizeObserver(() => requestAnimationFrame(() => this.draw(true))).observe(this.plots);
  }

  private toolbar(): HTMLElement {
    return el("div", { class: "row" },
      button("Add a point where it is least certain", () => this.addUncertain()),
      button("Remove the selected point", () => {
        const i = this.plot.selected;
        if (i < 0 || i >= this.state.points.length) return say("No point is selected");
        this.remove(i);
      }),
      button("Clear", () => {
        this.state.points = [];
        this.pointsChanged("All points removed");
      }));
  }

  async show(): Promise<void> {
    await this.setKernel(this.state.kernel);
  }

  private update(change: Partial<Curve>): void {
    Object.assign(this.state, change);
    void this.ask();
  }

  private add(x: number, y: number): void {
    this.state.points.push([x, y]);
    this.pointsChanged(`Point added at x ${short(x, 3)}, y ${short(y, 3)}`);
    this.plot.focus(this.state.points.length - 1);
  }
  private addUncertain(): void {
    const at = this.at();
    const a = this.answer;
    const i = a ? a.sd.indexOf(Math.max(...a.sd)) : 100;
    this.add(at[i], a ? a.mean[i] : 0);
  }
  private move(i: number, x: number, y: number): void {
    this.state.points[i] = [x, y];
    this.pointsChanged();
  }
  private remove(i: number): void {
    this.state.points.splice(i, 1);
    this.pointsChanged("Point removed");
    this.plot.focus(Math.min(i, this.state.points.length - 1));
  }
  private pointsChanged(said = ""): void {
    if (said) say(said);
    this.draw(true);
    void this.ask();
  }

  /** Takes an expression, with parameters that were not given filled in. */
  private async setKernel(text: string): Promise<void> {
    try {
      const e = await core.call<Explained>({ call: "explain", kernel: text, at: this.at() });
      this.error.replaceChildren();
      this.state.kernel = e.drawable;
      this.words.replaceChildren(...e.words.map((w, i) => el("li", {}, i ? `${shortened(w.kernel)}: ${w.words}` : w.words)));
      this.setParameters(e.parameters);
      await this.ask();
    } catch (why) {
      showError(this.error, why);
    }
  }

  /** Values that the landscape or a fit found. */
  private async set(kernel: string, noise: number): Promise<void> {
    this.state.noise = noise;
    await this.setKernel(kernel);
  }

  private setParameters(parameters: Parameter[]): void {
    this.parameters = parameters;
    this.text.value = this.state.kernel;
    this.menuBox.replaceChildren(menus(this.state.kernel, this.names, (k) => void this.setKernel(k)));
    this.sliders.replaceChildren(
      ...parameters.map((p, i) => this.slider(p.name, p.role, p.value ?? 1, (v) => void this.slide(i, v))),
      this.slider("noise variance", "noise", this.state.noise, (v) => {
        this.state.noise = v;
        void this.ask();
      }),
    );
  }

  private slider(name: string, role: string, value: number, changed: (value: number) => void): HTMLElement {
    const [from, to] = rangeOf(role);
    const low = Math.min(from, value), high = Math.max(to, value);
    const place = Math.round((slots * Math.log(value / low)) / Math.log(high / low));
    const shown = el("output", {}, short(value));
    const input = el("input", { type: "range", min: 0, max: slots, step: 1, value: place });
    input.setAttribute("aria-valuetext", short(value));
    input.addEventListener("input", () => {
      const v = low * Math.pow(high / low, Number(input.value) / slots);
      shown.textContent = short(v);
      input.setAttribute("aria-valuetext", short(v));
      changed(v);
    });
    const f = field(name, input);
    f.querySelector("label")!.append(" ", shown);
    return f;
  }

  private async slide(i: number, value: number): Promise<void> {
    this.parameters[i].value = value;
    if (this.sliding) return;
    this.sliding = true;
    try {
      const values = this.parameters.map((p) => p.value ?? 1);
      const r = await core.call<{ kernel: string }>({ call: "values", kernel: this.state.kernel, values });
      this.state.kernel = r.kernel;
      this.text.value = r.kernel;
      await this.ask();
    } catch (why) {
      showError(this.error, why);
    } finally {
      this.sliding = false;
    }
    if (this.parameters[i].value !== value) await this.slide(i, this.parameters[i].value!);
  }

  private at(): number[] {
    return CurvePlot.grid(this.state.left, this.state.right);
  }

  private question(points: [number, number][]): object {
    const s = this.state;
    return {
      call: "curve", kernel: s.kernel, noise: s.noise, mean: s.mean, x: points.map((p) => p[0]), y: points.map((p) => p[1]),
      at: this.at(), of: s.of, interval: s.interval, draws: s.draws, seed: s.seed,
    };
  }

  private async ask(): Promise<void> {
    try {
      const a = await core.last<Answered>("curve", this.question(this.state.points));
      if (!a) return;
      this.answer = a;
      this.error.replaceChildren();
      if (this.state.sideBySide) this.priorAnswer = await core.call<Answered>(this.question([]));
      const e = a.log_marginal_likelihood;
      this.evidence.textContent = e === null ? "- (no data)" : e.toFixed(3);
      this.draw(false);
      this.changed();
      this.root.dataset.answers = String(Number(this.root.dataset.answers ?? 0) + 1);
      this.landscape.later();
    } catch (why) {
      if (!(why instanceof CoreError && why.message === "stopped")) showError(this.error, why);
    }
  }

  private async fit(): Promise<void> {
    const s = this.state;
    if (s.points.length < 2) return showError(this.fitted, "Two points or more are needed for a fit.");
    const before = { kernel: s.kernel, noise: s.noise, evidence: this.answer?.log_marginal_likelihood ?? NaN };
    this.fitted.replaceChildren(el("p", {}, "Fitting ..."));
    try {
      const f = await core.call<Fitted>({ call: "fit", kernel: s.kernel, mean: s.mean, x: s.points.map((p) => p[0]), y: s.points.map((p) => p[1]) });
      const row = (name: string, kernel: string, noise: number, e: number) =>
        el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, shortened(kernel)), el("td", {}, short(noise)), el("td", {}, e.toFixed(3)));
      this.fitted.replaceChildren(
        el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Fit, before and after" },
          el("table", {},
            el("thead", {}, el("tr", {}, el("td", {}), el("th", { scope: "col" }, "kernel"), el("th", { scope: "col" }, "noise"), el("th", { scope: "col" }, "log m. l."))),
            el("tbody", {}, row("before", before.kernel, before.noise, before.evidence), row("after", f.kernel, f.noise, f.log_marginal_likelihood)))),
        el("p", { class: "hint" }, `${f.evaluations} evaluations, ${f.optima === 1 ? "one optimum" : `${f.optima} optima`} found. ${f.notes.join(" ")}`),
        button("Undo the fit", () => {
          this.fitted.replaceChildren();
          void this.set(before.kernel, before.noise);
        }, "small"));
      await this.set(f.kernel, f.noise);
      say(`Fitted: log marginal likelihood ${f.log_marginal_likelihood.toFixed(3)}`);
    } catch (why) {
      showError(this.fitted, why);
    }
  }

  private draw(steady: boolean): void {
    const s = this.state;
    const width = this.plots.clientWidth;
    if (width < 50) return;
    const two = s.sideBySide && width > 640;
    const each = two ? (width - 16) / 2 : width;
    const height = Math.max(260, Math.min(440, 0.62 * each));
    this.priorFigure.hidden = !s.sideBySide;
    this.plots.classList.toggle("two", two);
    this.plot.resize(each, height);
    this.plot.draw(s.left, s.right, s.points, this.at(), this.answer, steady);
    if (s.sideBySide) {
      this.prior.resize(each, height);
      this.prior.draw(s.left, s.right, [], this.at(), this.priorAnswer, false);
    }
    this.list.textContent = `${s.points.length} points. Click to add, drag or arrow keys to move (Shift: further), Delete to remove.`;
  }
}
