// What next: suggest, measure, tell; with the reason, undo and the error as it falls.
import { scaleLinear } from "d3-scale";
import { line } from "d3-shape";
import { core, notes } from "../core/client";
import { button, choice, el, field, say, short, showError, svg } from "../dom";
import type { Session } from "../data/session";
import { candidates } from "./candidates";

interface Suggestion {
  mean?: number;
  sd: number;
  reason: string;
  at: Record<string, number | string>;
}
interface Strategy {
  name: string;
  question: string;
  for: string;
  pool: boolean;
  about: string;
}

/** What works in a domain; the others need a table of candidates. */
const overDomains = ["expected-improvement", "probability-of-improvement", "upper-confidence", "thompson", "knowledge-gradient"];

export class NextView {
  readonly root = el("section", { class: "next-view", "aria-label": "What to measure next" });
  private settings = el("div", { class: "panel" });
  private pending = el("div", { class: "pending" });
  private curve = el("div", {});
  private history = el("div", {});
  private message = el("div", {});
  private goal: "maximize" | "minimize" | "learn" = "learn";
  private strategy = "";
  private count = 1;
  private target = "";
  private domain: Record<string, string> = {};
  private strategies: Strategy[] = [];
  private told: string[] = [];

  constructor(private session: Session) {
    this.root.append(this.settings, el("div", {}, this.message, this.pending, this.curve, this.history));
    session.listeners.push(() => this.refresh());
  }

  async show(): Promise<void> {
    if (this.strategies.length === 0) this.strategies = JSON.parse(await core.text(["strategies", "--json"])) as Strategy[];
    this.refresh();
  }

  private refresh(): void {
    const record = this.session.record();
    if (!record) {
      this.settings.replaceChildren(el("p", {}, "Fit a model under Your data first; then this tab says what to measure next, and why."));
      this.pending.replaceChildren();
      this.curve.replaceChildren();
      this.history.replaceChildren();
      this.told = [];
      return;
    }
    if (this.session.past.length === 0) this.told = [];
    const columns = this.session.layout?.columns ?? [];
    const fields = record.features.map((name) => {
      const c = columns.find((k) => k.name === name);
      this.domain[name] ??= c?.low !== undefined ? `${short(c.low, 6)}:${short(c.high!, 6)}` : "0:1";
      const input = el("input", { type: "text", value: this.domain[name], change: () => (this.domain[name] = input.value.trim()) });
      return field(name, input);
    });
    const stop = el("input", { type: "text", inputmode: "decimal", value: this.target, change: () => (this.target = stop.value.trim()) });
    this.settings.replaceChildren(
      el("h2", {}, "Where may be measured"), el("p", { class: "hint" }, "LOW:HIGH, LOW:HIGH:STEP, or a list A,B,C"), ...fields,
      field("Goal", choice([["learn", "learn the function"], ["maximize", "find the largest " + record.target], ["minimize", "find the smallest " + record.target]], this.goal, (v) => {
        this.goal = v as typeof this.goal;
        this.strategy = "";
        this.refresh();
      })),
      field("Strategy", choice([["", this.goal === "learn" ? "variance-reduction" : "expected-improvement"], ...this.names().map((n) => [n, n] as [string, string])], this.strategy, (v) => (this.strategy = v))),
      field("How many at once", choice(["1", "2", "3", "5"], String(this.count), (v) => (this.count = Number(v)))),
      field("Stop at this sd of f", stop, "optional, to learn the function: how many more labels that takes"),
      el("div", { class: "row" }, button("Suggest", () => void this.suggest(), "primary"), button("Undo the last tell", () => this.session.undo())));
    this.drawErrors();
    this.history.replaceChildren(el("h2", {}, `${record.n} rows, ${this.session.past.length} told here`), el("ol", {}, ...this.told.slice(0, this.session.past.length).map((t) => el("li", {}, t))));
  }

  private names(): string[] {
    if (this.goal !== "learn") return overDomains;
    return this.strategies.filter((s) => s.pool && s.for !== "classes" && !overDomains.includes(s.name)).map((s) => s.name);
  }

  private line(): string[] {
    const line = ["suggest", "model.json"];
    if (this.goal === "learn") line.push("candidates.csv");
    else for (const f of this.session.record()!.features) line.push("--over", `${f}=${this.domain[f]}`);
    if (this.goal !== "learn") line.push(`--${this.goal}`);
    if (this.strategy) line.push("--strategy", this.strategy);
    if (this.goal === "learn" && this.target) line.push("--stop-sd", this.target);
    return [...line, "-n", String(this.count), "--json"];
  }

  private async suggest(): Promise<void> {
    this.message.replaceChildren(el("p", { role: "status" }, "Looking ..."));
    try {
      const files = this.goal === "learn" ? { "candidates.csv": candidates(this.session.record()!.features, this.domain) } : {};
      const ran = await this.session.ask(this.line(), files as Record<string, string>);
      this.message.replaceChildren(...notes(ran.err).map((n) => el("p", { class: "hint" }, n)));
      this.offer(JSON.parse(ran.out) as Suggestion[]);
    } catch (why) {
      showError(this.message, why);
    }
  }

  private offer(all: Suggestion[]): void {
    const record = this.session.record()!;
    this.pending.replaceChildren(el("h2", {}, "To be measured"));
    all.forEach((s, i) => {
      const where = Object.entries(s.at).map(([k, v]) => `${k} = ${typeof v === "number" ? short(v, 5) : v}`).join(", ");
      const input = el("input", { type: "text", inputmode: "decimal" });
      const card = el("form", { class: "card suggestion" },
        el("p", {}, el("strong", {}, where)), el("p", {}, s.reason), el("p", { class: "hint" }, s.mean === undefined ? `sd of f there: ${short(s.sd)}` : `Expected: ${short(s.mean)} ± ${short(s.sd)}`),
        field(`Measured ${record.target}${all.length > 1 ? ` of ${i + 1}` : ""}`, input), el("button", { type: "submit", class: "primary" }, "Tell"));
      card.addEventListener("submit", (event) => {
        event.preventDefault();
        void this.tell(card, s, where, input.value);
      });
      this.pending.append(card);
    });
    say(`${all.length} suggested. ${all[0]?.reason ?? ""}`);
    this.pending.querySelector("input")?.focus();
  }

  private async tell(card: HTMLElement, s: Suggestion, where: string, typed: string): Promise<void> {
    const value = Number(typed.trim().replace(",", "."));
    const record = this.session.record()!;
    if (!typed.trim() || !Number.isFinite(value)) return showError(this.message, `Measured ${record.target}: expected a number, found '${typed}'.`);
    try {
      const csv = [[...record.features, record.target].map((n) => `"${n}"`).join(","), [...record.features.map((f) => s.at[f]), value].join(",")].join("\n") + "\n";
      this.told = [...this.told.slice(0, this.session.past.length), `${where}: ${short(value)}`];
      const said = await this.session.tellRow(csv);
      this.message.replaceChildren(...said.map((n) => el("p", { class: "hint" }, n)));
      card.remove();
      if (!this.pending.querySelector("form")) this.pending.replaceChildren(el("p", {}, "Told. Suggest again for the next."));
      say("Told");
    } catch (why) {
      showError(this.message, why);
    }
  }

  private drawErrors(): void {
    const errors = this.session.errors;
    if (errors.length < 2) return this.curve.replaceChildren();
    const [w, h] = [360, 140];
    const x = scaleLinear([0, errors.length - 1], [44, w - 8]);
    const y = scaleLinear([0, Math.max(...errors)], [h - 24, 8]).nice();
    const path = line<number>().x((_, i) => x(i)).y((e) => y(e));
    const picture = svg("svg", { viewBox: `0 0 ${w} ${h}`, width: w, height: h, class: "curve", role: "img", "aria-label": `Leave-one-out error after each tell: ${errors.map((e) => short(e, 3)).join(", ")}` });
    for (const t of y.ticks(4)) picture.append(svg("g", { class: "axes" }, svg("text", { x: 38, y: y(t) + 4, "text-anchor": "end" }, short(t))));
    picture.append(svg("path", { d: path(errors) ?? "", class: "mean" }), svg("g", { class: "axes" }, svg("text", { x: w / 2, y: h - 6, "text-anchor": "middle" }, "told")));
    this.curve.replaceChildren(el("h2", {}, "Leave-one-out error"), picture);
  }
}
