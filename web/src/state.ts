// What the page is about, in one value that a link can hold.
export interface Curve {
  points: [number, number][];
  kernel: string; // every parameter given
  noise: number; // variance
  mean: string;
  of: "f" | "y";
  interval: number;
  draws: number;
  seed: number;
  sideBySide: boolean;
  left: number;
  right: number;
}
export interface Table {
  name: string;
  csv: string;
  target: string;
  features: string[];
  kernel: string;
  mean: string;
  noise: string;
  model: string; // gp, bayes, ...
}
export interface State {
  tab: string;
  curve: Curve;
  table: Table;
}

/** The eight points of the lectures, and the kernel that they are shown with. */
export const eight: [number, number][] = [
  [-1.5, -1.6], [-0.25, 0.5], [0, 0.8], [1, -2], [5, 0], [5.5, 1], [10.5, 3], [11.5, 3],
];

export function fresh(): State {
  return {
    tab: "curve",
    curve: {
      points: eight.map((p) => [...p]), kernel: "1.6129 * se(lengthscale=1)", noise: 0.01, mean: "zero",
      of: "f", interval: 95, draws: 3, seed: 1, sideBySide: false, left: -3, right: 13,
    },
    table: { name: "data.csv", csv: "", target: "", features: [], kernel: "", mean: "constant", noise: "learn", model: "gp" },
  };
}

export const longestTable = 6000; // characters that a link may hold

export function toLink(state: State): string {
  const kept = state.table.csv.length > longestTable ? { ...state, table: fresh().table } : state;
  const bytes = new TextEncoder().encode(JSON.stringify(kept));
  let text = "";
  for (const b of bytes) text += String.fromCharCode(b);
  return "#s=" + btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** undefined for a link that is none of ours. */
export function fromLink(hash: string): State | undefined {
  if (!hash.startsWith("#s=")) return undefined;
  try {
    const text = atob(hash.slice(3).replace(/-/g, "+").replace(/_/g, "/"));
    const read = JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (c) => c.charCodeAt(0)))) as Partial<State>;
    const base = fresh();
    const curve = { ...base.curve, ...read.curve };
    const good = Array.isArray(curve.points) && curve.points.every((p) => Array.isArray(p) && p.length === 2 && p.every(Number.isFinite));
    if (!good || typeof curve.kernel !== "string" || !Number.isFinite(curve.noise)) return undefined;
    return { tab: String(read.tab ?? "curve"), curve, table: { ...base.table, ...read.table } };
  } catch {
    return undefined;
  }
}
