// The user's own table and the model that was fitted to it, shared by the tabs.
import { core, CoreError, notes, spoken } from "../core/client";
import type { Ran } from "../core/messages";
import type { Table } from "../state";

export interface Column {
  name: string;
  number: boolean;
  missing: number;
  low?: number;
  high?: number;
}
export interface Layout {
  rows: number;
  columns: Column[];
  delimiter: string;
  decimal: string;
  notes: string[];
}
export interface Report {
  text: string;
  notes: string[];
  line: string;
}

export const mostRows = 20000; // of a table that is fitted here; beyond, the command is quicker and has the memory
const decode = (b: Uint8Array | undefined) => (b ? new TextDecoder().decode(b) : "");

/** A word quoted for a shell. */
export function quoted(word: string): string {
  return /^[\w.,:=/+-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;
}
export const asCommand = (line: string[]) => ["covary", ...line].map(quoted).join(" ");

export class Session {
  layout?: Layout;
  model = ""; // the model file, as the command writes it
  past: string[] = []; // models before each tell, for undo
  errors: number[] = []; // leave-one-out RMSE after the fit and each tell
  listeners: (() => void)[] = [];

  constructor(readonly table: Table) {}

  private tell(): void {
    for (const l of this.listeners) l();
  }

  /** Reads the table: columns, and what was assumed. */
  async open(name: string, csv: string): Promise<Layout> {
    const layout = await core.call<Layout>({ call: "columns", path: "data.csv" }, { "data.csv": csv });
    const numbers = layout.columns.filter((c) => c.number);
    if (numbers.length === 0) throw new CoreError(`${name}: no column holds numbers, so there is nothing to predict. The columns are ${layout.columns.map((c) => c.name).join(", ")}.`);
    const t = this.table;
    const known = (c: string) => layout.columns.some((k) => k.name === c);
    if (t.csv !== csv || !known(t.target)) {
      t.target = numbers[numbers.length - 1].name;
      t.features = numbers.filter((c) => c.name !== t.target).map((c) => c.name);
    }
    t.name = name.replace(/[^\w.-]+/g, "_") || "data.csv";
    t.csv = csv;
    this.layout = layout;
    this.forget();
    return layout;
  }

  forget(): void {
    this.model = "";
    this.past = [];
    this.errors = [];
    this.tell();
  }

  fitLine(): string[] {
    const t = this.table;
    const line = ["fit", t.name, "--target", t.target, "--features", t.features.map((f) => (f.includes(",") ? `"${f}"` : f)).join(",")];
    if (t.model !== "gp") line.push("--model", t.model);
    if (t.model === "gp" && t.kernel) line.push("--kernel", t.kernel);
    if (t.model === "gp" && t.mean !== "constant") line.push("--mean", t.mean);
    if (t.noise !== "learn" && t.noise) line.push("--noise", t.noise);
    if (this.layout?.columns.some((c) => (c.name === t.target || t.features.includes(c.name)) && c.missing > 0)) line.push("--missing", "drop");
    return line;
  }

  private done(ran: Ran): Ran {
    if (ran.code !== 0) throw new CoreError(spoken(ran.err) || `the command ended with code ${ran.code}`);
    return ran;
  }

  async fit(): Promise<Report> {
    const t = this.table;
    if (this.layout && this.layout.rows > mostRows)
      throw new CoreError(`${this.layout.rows} rows are more than this page fits (${mostRows}). Thin the table to every ${Math.ceil(this.layout.rows / 2000)}th row, or use the command: ${asCommand(this.fitLine())} --inference auto`);
    const line = [...this.fitLine(), "-o", "model.json"];
    const ran = this.done(await core.run(line, { [t.name]: t.csv }, ["model.json"]));
    this.model = decode(ran.files["model.json"]);
    this.past = [];
    this.errors = [];
    await this.score();
    this.tell();
    return { text: ran.out, notes: notes(ran.err), line: asCommand(line) };
  }

  /** The same model file as the command writes, from elsewhere. */
  async load(text: string): Promise<Report> {
    const ran = this.done(await core.run(["check", "model.json"], { "model.json": text }));
    this.model = text;
    this.past = [];
    this.errors = [];
    await this.score();
    this.tell();
    return { text: ran.out, notes: notes(ran.err), line: "covary check model.json" };
  }

  private async score(): Promise<void> {
    const ran = await core.run(["check", "model.json", "--json", "-q"], { "model.json": this.model });
    if (ran.code === 0) this.errors.push((JSON.parse(ran.out) as { rmse: number }).rmse);
  }

  /** Any verb that takes the model first. */
  async ask(line: string[], files: Record<string, string> = {}, read: string[] = []): Promise<Ran> {
    if (!this.model) throw new CoreError("There is no model yet: fit one under Your data.");
    return this.done(await core.run(line, { "model.json": this.model, ...files }, read));
  }

  async tellRow(csv: string): Promise<string[]> {
    const ran = await this.ask(["tell", "model.json", "new.csv", "--repeat"], { "new.csv": csv }, ["model.json"]);
    this.past.push(this.model);
    this.model = decode(ran.files["model.json"]);
    await this.score();
    this.tell();
    return notes(ran.err);
  }
  undo(): void {
    const before = this.past.pop();
    if (!before) return;
    this.model = before;
    this.errors.pop();
    this.tell();
  }

  record(): { features: string[]; target: string; kernel: string; n: number } | undefined {
    if (!this.model) return undefined;
    const m = (JSON.parse(this.model) as { model: { features: string[]; target: string; kernel?: string; data: { y: unknown[] } } }).model;
    return { features: m.features, target: m.target, kernel: m.kernel ?? "", n: m.data.y.length };
  }
}
