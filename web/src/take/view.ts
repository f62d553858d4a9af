// Take it with you: the model file, predictions, pictures, and the same as a command, in Python and in C++.
import { core } from "../core/client";
import { button, download, el, field, say, showError } from "../dom";
import { asCommand, type Session } from "../data/session";
import { longestTable, type State, toLink } from "../state";
import { savePng, saveSvg, standalone } from "./save";

const python = (text: string) => JSON.stringify(text);

export class TakeView {
  readonly root = el("section", { class: "take-view", "aria-label": "Take it with you" });
  private message = el("div", {});
  private code = el("div", {});

  constructor(private state: State, private session: Session, private curve: () => SVGSVGElement) {
    const points = el("textarea", { rows: 4, spellcheck: "false", placeholder: "temperature\n21\n22" });
    this.root.append(
      el("div", { class: "panel wide" },
        el("h2", {}, "Your model"),
        el("div", { class: "row" }, button("Model file (JSON)", () => this.model()), button("Data (CSV)", () => download(this.session.table.name, this.session.table.csv, "text/csv"))),
        field("Predict at these rows (CSV)", points), button("Predictions (CSV)", () => void this.predict(points.value)),
        el("h2", {}, "The curve"),
        el("div", { class: "row" },
          button("Points (CSV)", () => download("points.csv", this.points(), "text/csv")), button("Model file of the curve", () => void this.curveModel()),
          button("SVG", () => saveSvg("curve", standalone(this.curve()))), button("PNG", () => void savePng("curve", standalone(this.curve())))),
        el("h2", {}, "A link to this state"),
        el("p", { class: "hint" }, `The link holds the curve, and the table up to ${longestTable} characters. It is made here and sent nowhere.`),
        button("Copy the link", () => void this.copy(location.href.split("#")[0] + toLink(this.state), "The link")), this.message),
      this.code);
  }

  show(): void {
    const c = this.state.curve;
    const noise = String(c.noise);
    const curve = ["fit", "points.csv", "--target", "y", "--kernel", `fixed(${c.kernel})`, "--mean", c.mean, "--noise", noise];
    const xs = c.points.map((p) => p[0]), ys = c.points.map((p) => p[1]);
    const blocks: [string, string][] = [
      ["Curve, as command", `${asCommand([...curve, "-o", "model.json"])}\n${asCommand(["plot", "model.json", "-o", "fit.svg", "--samples", String(c.draws)])}`],
      ["Curve, in Python", `import covary\n\ngp = covary.GP(kernel=${python(c.kernel)}, mean=${python(c.mean)}, noise=${noise})\nposterior = gp.condition(${JSON.stringify(xs.map((x) => [x]))}, ${JSON.stringify(ys)})\n`],
      ["Curve, in C++", `Process<Row> prior(parse<Row>(${python(c.kernel)}), parse_mean(${python(c.mean)}), Noise::of(${noise}));\nMatrix x(${xs.length}, 1);\nx << ${xs.join(", ")};\nVector y(${ys.length});\ny << ${ys.join(", ")};\nProcess<Row> posterior = prior.condition(x, y);\n`],
    ];
    if (this.session.table.csv) {
      blocks.push(["Your table, as command", asCommand([...this.session.fitLine(), "-o", "model.json"])]);
      blocks.push(["Your model, in Python", 'import covary\n\nmodel = covary.load("model.json")\nprint(model)\n']);
      blocks.push(["Your model, in C++", 'FittedModel model = load_model("model.json");\nPrediction p = model.predict(at, Of::y);\n']);
    }
    this.code.replaceChildren(...blocks.map(([title, text]) =>
      el("section", { class: "card" }, el("h2", {}, title), el("pre", { tabindex: "0", role: "region", "aria-label": title }, text), button("Copy", () => void this.copy(text, title), "small"))));
  }

  private async copy(text: string, what: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.message.replaceChildren(el("p", { role: "status" }, `${what}: copied.`));
    } catch {
      const area = el("textarea", { rows: 3, readonly: true }, text);
      this.message.replaceChildren(field(`${what}: copy it from here`, area));
      area.select();
    }
    say(`${what} copied`);
  }

  private points(): string {
    return ["x,y", ...this.state.curve.points.map((p) => p.join(","))].join("\n") + "\n";
  }

  private model(): void {
    if (!this.session.model) return showError(this.message, "There is no model yet: fit one under Your data.");
    download("model.json", this.session.model, "application/json");
  }

  private async curveModel(): Promise<void> {
    const c = this.state.curve;
    const line = ["fit", "points.csv", "-t", "y", "-k", `fixed(${c.kernel})`, "-m", c.mean, "--noise", String(c.noise), "-o", "model.json"];
    try {
      const ran = await core.run(line, { "points.csv": this.points() }, ["model.json"]);
      if (ran.code !== 0) throw new Error(ran.err.replace(/^covary: error: /, ""));
      download("model.json", ran.files["model.json"], "application/json");
    } catch (why) {
      showError(this.message, why);
    }
  }

  private async predict(csv: string): Promise<void> {
    try {
      const ran = await this.session.ask(["predict", "model.json", "points.csv", "-o", "predictions.csv"], { "points.csv": csv.endsWith("\n") ? csv : csv + "\n" }, ["predictions.csv"]);
      download("predictions.csv", ran.files["predictions.csv"], "text/csv");
    } catch (why) {
      showError(this.message, why);
    }
  }
}
