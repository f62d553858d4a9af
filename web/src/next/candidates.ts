// Candidates for learning a function: a lattice over a domain, or points that fill it evenly where it has many columns.
const perColumn = [0, 201, 21, 8];
const most = 512;

/** "0:10", "0:10:0.5" or "1,2,4": the values, `count` of them where the domain is an interval; undefined if it is none. */
function values(domain: string, count: number): number[] | undefined {
  if (domain.includes(":")) {
    const [low, high, step] = domain.split(":").map(Number);
    if (![low, high].every(Number.isFinite) || !(high > low)) return undefined;
    if (step > 0) return Array.from({ length: Math.min(2000, Math.floor((high - low) / step + 1e-9) + 1) }, (_, i) => low + i * step);
    return Array.from({ length: count }, (_, i) => low + ((high - low) * i) / (count - 1));
  }
  const listed = domain.split(",").map((t) => Number(t.trim() || NaN));
  return listed.every(Number.isFinite) ? listed : undefined;
}

/** A table of the features. Throws a sentence for a domain that cannot be read. */
export function candidates(features: string[], domain: Record<string, string>): string {
  const d = features.length;
  const lattice = d < perColumn.length;
  const axes = features.map((name) => {
    const v = values(domain[name] ?? "", lattice ? perColumn[d] : most);
    if (!v) throw new Error(`${name}: expected LOW:HIGH, LOW:HIGH:STEP or a list of numbers, found '${domain[name] ?? ""}'`);
    return v;
  });
  let rows: number[][] = [[]];
  if (lattice) for (const axis of axes) rows = rows.flatMap((r) => axis.map((v) => [...r, v]));
  else {
    // Along the powers of the root of g^(d+1) = g + 1 the points fill the unit cube evenly.
    let g = 2;
    for (let i = 0; i < 30; ++i) g = Math.pow(1 + g, 1 / (d + 1));
    rows = Array.from({ length: most }, (_, i) => axes.map((axis, k) => axis[Math.floor(((0.5 + (i + 1) * Math.pow(g, -(k + 1))) % 1) * axis.length)]));
  }
  return [features.map((f) => `"${f.replace(/"/g, '""')}"`).join(","), ...rows.map((r) => r.join(","))].join("\n") + "\n";
}
