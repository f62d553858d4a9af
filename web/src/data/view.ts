// Own data: a table dropped, pasted or opened, fitted and checked by the command itself.
import { core, notes } from "../core/client";
import { button, check, choice, el, field, say, showError } from "../dom";
import { examples } from "./examples";
import type { Session } from "./session";

const mostBytes = 60e6;

export class DataView {
  readonly root = el("section", { class: "data-view", "aria-label": "Your data" });
  private message = el("div", {});
  private choices = el("div", { class: "choices" });
  private results = el("div", { class: "results" });
  private paste = el("textarea", { rows: 4, spellcheck: "false", placeholder: "temperature,yield\n20,3.1\n25,3.9" });

  constructor(private session: Session, private changed: () => void) {
    const file = el("input", { type: "file", accept: ".csv,.tsv,.txt,.json,.gz", change: () => file.files?.[0] && void this.file(file.files[0]) });
    const drop = el("div", { class: "drop" },
      el("p", {}, "Drop a CSV file here, choose one, or paste a table. Nothing leaves this browser."),
      field("CSV or model file", file), field("Or paste a table", this.paste),
      el("div", { class: "row" }, button("Use the pasted table", () => void this.take("pasted.csv", this.paste.value)),
        choice([["", "Examples ..."], ...examples.map((e) => [e.name, e.about] as [string, string])], "", (v) => {
          const e = examples.find((x) => x.name === v);
          if (e) void this.take(e.name, e.csv());
        })));
    drop.querySelector("select")!.setAttribute("aria-label", "Examples");
    for (const kind of ["dragover", "dragleave", "drop"])
      drop.addEventListener(kind, (event) => {
        event.preventDefault();
        drop.classList.toggle("over", kind === "dragover");
        const dropped = (event as DragEvent).dataTransfer?.files[0];
        if (kind === "drop" && dropped) void this.file(dropped);
      });
    this.root.append(el("div", { class: "panel wide" }, drop, this.message, this.choices), this.results);
  }

  async show(): Promise<void> {
    if (this.session.table.csv && !this.session.layout) await this.take(this.session.table.name, this.session.table.csv);
  }

  private async file(file: File): Promise<void> {
    try {
      if (file.size > mostBytes) throw new Error(`${file.name} has ${Math.round(file.size / 1e6)} MB, more than this page reads (${mostBytes / 1e6} MB): use the command, covary fit ${file.name}.`);
      const unpack = file.name.endsWith(".gz") ? file.stream().pipeThrough(new DecompressionStream("gzip")) : file.stream();
      const bytes = new Uint8Array(await new Response(unpack).arrayBuffer());
      let text: string;
      try {
        text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      } catch {
        text = new TextDecoder("windows-1252").decode(bytes);
      }
      if (text.startsWith('{"format":"covary model"')) await this.model(text);
      else await this.take(file.name.replace(/\.gz$/, ""), text);
    } catch (why) {
      showError(this.message, why);
    }
  }

  private async model(text: string): Promise<void> {
    const r = await this.session.load(text);
    this.message.replaceChildren(el("p", {}, "The model was read."));
    await this.report("Check of the model", r.text, r.notes);
  }

  private async take(name: string, csv: string): Promise<void> {
    try {
      if (csv.length > mostBytes) throw new Error(`The table has ${Math.round(csv.length / 1e6)} MB, more than this page reads: use the command.`);
      const layout = await this.session.open(name, csv);
      const words = [`${name}: ${layout.rows} rows, ${layout.columns.length} columns.`, ...layout.notes];
      this.message.replaceChildren(...words.map((w) => el("p", { class: "hint" }, w)));
      say(words[0]);
      this.choose();
      this.changed();
    } catch (why) {
      showError(this.message, why);
    }
  }

  private choose(): void {
    const { table, layout } = this.session;
    const numbers = layout!.columns.filter((c) => c.number).map((c) => c.name);
    const inputs = el("fieldset", {}, el("legend", {}, "Inputs"));
    for (const c of layout!.columns) {
      if (c.name === table.target) continue;
      inputs.append(check(`${c.name}${c.number ? "" : " (text)"}${c.missing ? `, ${c.missing} missing` : ""}`, table.features.includes(c.name), (on) => {
        table.features = layout!.columns.map((k) => k.name).filter((n) => (n === c.name ? on : table.features.includes(n)));
        this.changed();
      }));
    }
    const kernel = el("input", { type: "text", value: table.kernel, spellcheck: "false", placeholder: "chosen by the types of the columns" });
    kernel.addEventListener("change", () => (table.kernel = kernel.value.trim()));
    const noise = el("input", { type: "text", value: table.noise, spellcheck: "false" });
    noise.addEventListener("change", () => (table.noise = noise.value.trim() || "learn"));
    this.choices.replaceChildren(
      field("Target", choice(numbers, table.target, (v) => {
        table.target = v;
        table.features = numbers.filter((n) => n !== v);
        this.choose();
        this.changed();
      })),
      inputs,
      field("Model", choice([["gp", "Gaussian process"], ["bayes", "Bayesian linear"], ["ridge", "ridge"], ["linear", "linear"], ["kernel-ridge", "kernel ridge"]], table.model, (v) => (table.model = v))),
      field("Kernel", kernel), field("Mean", choice(["constant", "zero", "linear"], table.mean, (v) => (table.mean = v))), field("Noise", noise, "learn, or a variance"),
      el("div", { class: "row" }, button("Fit", () => void this.fit(), "primary"), button("Stop", () => core.stop())),
    );
    if (layout!.rows > 2000) {
      const keep = 2000;
      this.choices.append(el("p", { class: "hint" }, `${layout!.rows} rows take long here: about a minute for 2000.`),
        button(`Keep ${keep} rows, spread evenly`, () => void this.thin(keep), "small"));
    }
  }

  private async thin(keep: number): Promise<void> {
    const lines = this.session.table.csv.split(/\r?\n/).filter((l) => l.trim());
    const rows = lines.slice(1);
    const every = rows.length / keep;
    const kept = Array.from({ length: keep }, (_, i) => rows[Math.floor(i * every)]);
    await this.take(this.session.table.name, [lines[0], ...kept].join("\n"));
  }

  private async fit(): Promise<void> {
    this.results.replaceChildren(el("p", { role: "status" }, "Fitting ..."));
    try {
      const r = await this.session.fit();
      await this.report("Summary", r.text, r.notes);
      say("Fitted");
      this.changed();
    } catch (why) {
      showError(this.results, why);
    }
  }

  private text(title: string, text: string): HTMLElement {
    return el("section", { class: "card" }, el("h2", {}, title), el("pre", { tabindex: "0", role: "region", "aria-label": title }, text));
  }

  private async report(title: string, text: string, said: string[]): Promise<void> {
    const picture = el("div", {});
    const kinds: [string, string][] = [["auto", "curve, map or slices"], ["observed", "predicted against observed"], ["slices", "slices"]];
    this.results.replaceChildren(
      this.text(title, text), ...(said.length ? [el("section", { class: "card" }, el("h2", {}, "Notes"), el("ul", {}, ...said.map((n) => el("li", {}, n))))] : []),
      el("section", { class: "card" }, el("h2", {}, "Picture"), field("Kind", choice(kinds, "auto", (v) => void this.picture(picture, v))), picture));
    const checked = await this.session.ask(["check", "model.json"]);
    this.results.append(this.text("Check: leave-one-out and calibration", checked.out));
    await this.picture(picture, "auto");
  }

  private async picture(where: HTMLElement, kind: string): Promise<void> {
    try {
      const ran = await this.session.ask(["plot", "model.json", "-o", "plot.svg", "--kind", kind, "--width", "760"], {}, ["plot.svg"]);
      showPicture(where, new TextDecoder().decode(ran.files["plot.svg"]), `Picture of the model: ${kind}. ${notes(ran.err).join(" ")}`, `covary-${kind}`);
    } catch (why) {
      showError(where, why);
    }
  }
}

/** An SVG of the command on a white card, with buttons to keep it. */
export function showPicture(where: HTMLElement, text: string, label: string, name: string): void {
  const url = `data:image/svg+xml;base64,${btoa(unescape(encodeURIComponent(text)))}`;
  const image = el("img", { src: url, alt: label, class: "picture" });
  where.replaceChildren(image, el("div", { class: "row" },
    button("Save SVG", () => void import("../take/save").then((s) => s.saveSvg(name, text)), "small"),
    button("Save PNG", () => void import("../take/save").then((s) => s.savePng(name, text)), "small")));
}
