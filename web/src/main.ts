// The page: tabs, the theme, the link, and the core's start.
import { CurveView } from "./explore/view";
import { CurvePlot } from "./explore/plot";
import { core } from "./core/client";
import { DataView } from "./data/view";
import { Session } from "./data/session";
import { button, el, showError } from "./dom";
import { LecturesView } from "./lectures/view";
import { NextView } from "./next/view";
import { SensorsView } from "./sensors/view";
import { fresh, fromLink } from "./state";
import { TakeView } from "./take/view";
import "./style.css";

const linked = fromLink(location.hash);
const state = linked ?? fresh();
const session = new Session(state.table);

interface View {
  root: HTMLElement;
  show(): void | Promise<void>;
}

/** Light or dark as the system has it, until the button says otherwise. */
function theme(): HTMLButtonElement {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const b = button("", () => set(document.documentElement.dataset.theme !== "dark"), "small");
  const set = (dark: boolean) => {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    b.textContent = dark ? "Light" : "Dark";
  };
  set(system.matches);
  system.addEventListener("change", () => set(system.matches));
  return b;
}

const titles: [string, string][] = [["curve", "Curve"], ["data", "Your data"], ["next", "What next"], ["sensors", "Sensors"], ["lectures", "Lectures"], ["take", "Take it with you"]];
const views = new Map<string, View>();

function open(name: string, focus = false): void {
  const known = views.has(name) ? name : "curve";
  state.tab = known;
  for (const [id] of titles) {
    const tab = document.getElementById(`tab-${id}`)!;
    const on = id === known;
    tab.setAttribute("aria-selected", String(on));
    tab.tabIndex = on ? 0 : -1;
    document.getElementById(`panel-${id}`)!.hidden = !on;
    if (on && focus) tab.focus();
  }
  void views.get(known)!.show();
}

function tabs(): HTMLElement {
  const list = el("div", { role: "tablist", "aria-label": "Parts of the page", class: "tabs" });
  for (const [id, title] of titles)
    list.append(el("button", { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `panel-${id}`, click: () => open(id) }, title));
  list.addEventListener("keydown", (event) => {
    const i = titles.findIndex(([id]) => id === state.tab);
    const to = event.key === "ArrowRight" ? i + 1 : event.key === "ArrowLeft" ? i - 1 : event.key === "Home" ? 0 : event.key === "End" ? titles.length - 1 : -9;
    if (to === -9) return;
    event.preventDefault();
    open(titles[(to + titles.length) % titles.length][0], true);
  });
  return list;
}

async function begin(): Promise<void> {
  const app = document.getElementById("app")!;
  const message = el("div", { id: "start" }, el("p", { role: "status" }, "Loading the core ..."));
  app.append(message);
  try {
    await core.start();
    const kernels = (JSON.parse(await core.text(["kernels", "--json"])) as { name: string; reads?: string; parameters: string[] }[])
      .filter((k) => (k.reads ?? "numbers") === "numbers" && simple.has(k.name)).map((k) => k.name);
    const curve = new CurveView(state.curve, kernels, () => {
      document.documentElement.dataset.ready ??= String(Math.round(performance.now()));
    });
    views.set("curve", curve);
    views.set("data", new DataView(session, () => undefined));
    views.set("next", new NextView(session));
    views.set("sensors", new SensorsView());
    views.set("lectures", new LecturesView());
    views.set("take", new TakeView(state, session, () => curve.root.querySelectorAll<SVGSVGElement>("svg.curve")[1]));
    message.remove();
    app.append(tabs());
    for (const [id] of titles)
      app.append(el("div", { role: "tabpanel", id: `panel-${id}`, "aria-labelledby": `tab-${id}` }, views.get(id)!.root));
    await curve.show();
    open(state.tab);
    const about = await core.call<{ version: string; machine: string }>({ call: "machine" });
    document.getElementById("about")!.textContent = `covary ${about.version}, ${about.machine}`;
  } catch (why) {
    showError(message, why);
  }
}

/** Kernels that menus offer for a curve: those that need nothing but a column of numbers. */
const simple = new Set(["constant", "se", "matern12", "matern32", "matern52", "rational_quadratic", "periodic", "cosine", "linear", "polynomial", "wendland"]);

document.getElementById("theme")!.append(theme());
if (location.hash.startsWith("#s=") && !linked) document.getElementById("said")!.textContent = "The link is damaged: this is the page as it begins.";
void begin();
// What tests measure with.
Object.assign(globalThis, { covaryPage: { core, state, session, CurvePlot } });
