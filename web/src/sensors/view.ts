// Sensors: places on a map, k of them chosen by the command; a click forbids a place or puts a sensor there for good.
import { scaleLinear, type ScaleLinear } from "d3-scale";
import { core, notes } from "../core/client";
import { button, choice, el, field, say, short, showError, svg } from "../dom";
import { asCommand } from "../data/session";

type Standing = "free" | "forbidden" | "fixed";
interface Place {
  x: number;
  y: number;
  name: string;
  standing: Standing;
}
interface Sensor {
  rank: number;
  name: string;
  gain: number;
  share: number;
  mean_sd: number;
}
interface Placed {
  sensors: Sensor[];
  notes: string[];
  mean_sd_before: number;
}

function grid(columns: number, rows: number): Place[] {
  const out: Place[] = [];
  for (let j = 0; j < rows; ++j) for (let i = 0; i < columns; ++i) out.push({ x: i, y: j, name: `p${i}_${j}`, standing: "free" });
  return out;
}

export class SensorsView {
  readonly root = el("section", { class: "sensors-view", "aria-label": "Where to put sensors" });
  private places = grid(10, 7);
  private chosen: Sensor[] = [];
  private k = 5;
  private criterion = "mutual-information";
  private kernel = "matern52(lengthscale=2)";
  private noise = "0.05";
  private map = svg("svg", { class: "curve map", role: "group", "aria-label": "Map of the places. Enter on a place: forbidden, a sensor stands there, free again." });
  private certificate = el("div", { class: "certificate" });
  private line = el("pre", { tabindex: "0", role: "region", "aria-label": "The same as a command" });
  private x: ScaleLinear<number, number> = scaleLinear();
  private y: ScaleLinear<number, number> = scaleLinear();

  constructor() {
    const settings = el("div", { class: "panel" });
    const number = (value: string, set: (v: string) => void, type = "text") => {
      const input = el("input", { type, value, spellcheck: "false", change: () => set(input.value.trim()) });
      return input;
    };
    const own = el("textarea", { rows: 3, spellcheck: "false", placeholder: "name,x,y\nhall,0,3\nroof,2,5" });
    const criteria = el("div", {});
    settings.append(
      field("Number of sensors", number(String(this.k), (v) => (this.k = Math.max(1, Math.round(Number(v)) || 1)), "number")), criteria,
      field("Kernel of the field", number(this.kernel, (v) => (this.kernel = v))), field("Noise variance of a sensor", number(this.noise, (v) => (this.noise = v))),
      el("div", { class: "row" }, button("Place", () => void this.place(), "primary"), button("Reset the map", () => this.reset(grid(10, 7)))),
      field("Own places: name, x, y", own), button("Use these places", () => void this.own(own.value), "small"));
    this.root.append(settings, el("div", { class: "stage" }, this.map, this.certificate, this.line));
    void core.text(["criteria", "--json"]).then((text) => {
      const all = JSON.parse(text) as { name: string }[];
      criteria.replaceChildren(field("Criterion", choice(all.map((c) => c.name), this.criterion, (v) => (this.criterion = v))));
    }, (why) => showError(this.certificate, why));
    new ResizeObserver(() => requestAnimationFrame(() => this.draw())).observe(this.root);
  }

  show(): void {
    this.draw();
  }

  private reset(places: Place[]): void {
    this.places = places;
    this.chosen = [];
    this.certificate.replaceChildren();
    this.line.textContent = "";
    this.draw();
  }

  private async own(csv: string): Promise<void> {
    try {
      const v = await core.call<Record<string, (number | string)[]>>({ call: "column_values", path: "places.csv", names: ["name", "x", "y"] }, { "places.csv": csv });
      const places = v.name.map((name, i) => ({ name: String(name), x: Number(v.x[i]), y: Number(v.y[i]), standing: "free" as Standing }));
      if (!places.every((p) => Number.isFinite(p.x) && Number.isFinite(p.y))) throw new Error("places: x and y have to be numbers");
      this.reset(places);
    } catch (why) {
      showError(this.certificate, why);
    }
  }

  private csv(): string {
    return ["name,x,y,forbidden", ...this.places.map((p) => `${p.name},${p.x},${p.y},${p.standing === "forbidden" ? 1 : 0}`)].join("\n") + "\n";
  }

  async place(): Promise<void> {
    const fixed = this.places.filter((p) => p.standing === "fixed").map((p) => p.name);
    const line = ["place", "places.csv", "-k", String(this.k), "--criterion", this.criterion, "--kernel", this.kernel, "--noise", this.noise, "--coordinates", "x,y"];
    if (this.places.some((p) => p.standing === "forbidden")) line.push("--forbid", "forbidden");
    if (fixed.length) line.push("--existing", fixed.join(","));
    try {
      const ran = await core.run([...line, "--json"], { "places.csv": this.csv() });
      if (ran.code !== 0) throw new Error(ran.err.replace(/^covary: error: /, ""));
      const placed = JSON.parse(ran.out) as Placed;
      this.chosen = placed.sensors;
      const said = placed.notes.length ? placed.notes : notes(ran.err);
      this.certificate.replaceChildren(el("h2", {}, "What is proven"), el("ul", {}, ...said.map((n) => el("li", {}, n))),
        el("ol", {}, ...this.chosen.map((s) => el("li", {}, `${s.name}: gain ${short(s.gain)}, then a mean sd of ${short(s.mean_sd)}`))));
      this.line.textContent = asCommand(line);
      say(said.join(" "));
      this.draw();
    } catch (why) {
      showError(this.certificate, why);
    }
  }

  private turn(p: Place): void {
    p.standing = p.standing === "free" ? "forbidden" : p.standing === "forbidden" ? "fixed" : "free";
    this.chosen = [];
    this.draw();
    say(`${p.name}: ${p.standing === "fixed" ? "a sensor stands there" : p.standing}`);
  }

  private draw(): void {
    const width = Math.min(720, (this.map.parentElement as HTMLElement).clientWidth || 0);
    if (width < 50) return;
    const xs = this.places.map((p) => p.x), ys = this.places.map((p) => p.y);
    const height = Math.round(Math.min(560, Math.max(240, 0.7 * width)));
    this.map.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.map.setAttribute("width", String(width));
    this.map.setAttribute("height", String(height));
    this.x = scaleLinear([Math.min(...xs), Math.max(...xs)], [26, width - 26]);
    this.y = scaleLinear([Math.min(...ys), Math.max(...ys)], [height - 26, 26]);
    while (this.map.childElementCount > this.places.length) this.map.lastElementChild!.remove();
    while (this.map.childElementCount < this.places.length) this.map.append(this.spot());
    this.places.forEach((p, i) => this.mark(this.map.children[i] as SVGGElement, p, i));
  }

  private spot(): SVGGElement {
    const g = svg("g", { tabindex: 0, role: "button" }, svg("circle", { r: 11 }), svg("text", { "text-anchor": "middle", dy: "0.35em", "aria-hidden": "true" }));
    const act = () => this.turn(this.places[Number(g.dataset.index)]);
    g.addEventListener("click", act);
    g.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      act();
    });
    return g;
  }

  private mark(g: SVGGElement, p: Place, i: number): void {
    const sensor = this.chosen.find((s) => s.name === p.name);
    g.dataset.index = String(i);
    g.setAttribute("class", `spot ${sensor ? "sensor" : p.standing}`);
    g.setAttribute("transform", `translate(${this.x(p.x).toFixed(1)},${this.y(p.y).toFixed(1)})`);
    g.querySelector("text")!.textContent = sensor ? String(sensor.rank) : p.standing === "forbidden" ? "×" : p.standing === "fixed" ? "■" : "";
    const words = sensor ? `sensor ${sensor.rank}` : p.standing === "fixed" ? "a sensor stands there" : p.standing;
    g.setAttribute("aria-label", `${p.name}: ${words}`);
  }
}
