// Tables to begin with, made by formulas: no file is loaded.
interface Example {
  name: string;
  about: string;
  csv(): string;
}
/** A number in 0..1 that depends on i alone. */
const noise = (i: number) => (((Math.sin(i * 12.9898) * 43758.5453) % 1) + 1) % 1;
const table = (header: string, rows: number[][]) => [header, ...rows.map((r) => r.map((v) => v.toFixed(4)).join(","))].join("\n") + "\n";
const count = (n: number) => Array.from({ length: n }, (_, i) => i);

export const examples: Example[] = [
  {
    name: "tide.csv", about: "Tide: one input, 60 rows",
    csv: () => table("hour,height", count(60).map((i) => [i, 2 + 1.4 * Math.sin((2 * Math.PI * i) / 12.42) + 0.3 * Math.sin(i / 9) + 0.15 * (noise(i) - 0.5)])),
  },
  {
    name: "hill.csv", about: "Hill: two inputs, 80 rows",
    csv: () => table("east,north,height", count(80).map((i) => {
      const e = 10 * noise(i + 1), n = 8 * noise(3 * i + 7);
      return [e, n, 3 * Math.exp(-((e - 4) ** 2 + (n - 5) ** 2) / 6) + 0.2 * e + 0.1 * (noise(5 * i) - 0.5)];
    })),
  },
  {
    name: "reactor.csv", about: "Reactor: four inputs, 120 rows",
    csv: () => table("temperature,ph,pressure,time,yield", count(120).map((i) => {
      const [t, p, a, s] = [20 + 70 * noise(i), 4 + 5 * noise(2 * i + 1), 1 + 4 * noise(7 * i + 3), 60 * noise(11 * i + 5)];
      return [t, p, a, s, 60 - 0.02 * (t - 62) ** 2 - 4 * (p - 6.5) ** 2 + 0.2 * s + 2 * (noise(13 * i) - 0.5)];
    })),
  },
];
