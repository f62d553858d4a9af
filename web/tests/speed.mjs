// Seconds of a fit in Chromium and by the command on one thread, side by side: node tests/speed.mjs [n ...]
import { performance } from "node:perf_hooks";
import { answered, launch, open } from "./browser.mjs";
import { native, plane } from "./core.mjs";

const sizes = process.argv.slice(2).map(Number);
const browser = await launch();
const { tab } = await open(browser);
console.log("n      browser s  command s  ratio  evaluations");
for (const n of sizes.length ? sizes : [100, 500, 1000]) {
  const csv = plane(n);
  const line = ["fit", "d.csv", "-t", "y", "-k", "matern52()", "--json"];
  const ours = await tab.evaluate(async ([l, table]) => {
    const began = performance.now();
    const ran = await covaryPage.core.run(l, { "d.csv": table });
    return { seconds: (performance.now() - began) / 1000, fit: JSON.parse(ran.out) };
  }, [line, csv]);
  const began = performance.now();
  const theirs = JSON.parse(native(line, { "d.csv": csv }).out);
  const seconds = (performance.now() - began) / 1000;
  console.log(`${String(n).padEnd(6)} ${ours.seconds.toFixed(2).padStart(9)} ${seconds.toFixed(2).padStart(10)} ${(ours.seconds / seconds).toFixed(2).padStart(6)}  ${ours.fit.evaluations} and ${theirs.evaluations}`);
}
// A slider on a curve of 100 points: from the key to the new curve.
await tab.evaluate(() => {
  covaryPage.state.curve.points = Array.from({ length: 100 }, (_, i) => [-3 + (16 * i) / 99, Math.sin(i / 6)]);
});
const slider = tab.getByLabel(/lengthscale/).first();
const times = [];
for (let i = 0; i < 12; ++i) {
  const at = performance.now();
  await answered(tab, () => slider.press(i % 2 ? "ArrowLeft" : "ArrowRight"));
  times.push(performance.now() - at);
}
times.sort((a, b) => a - b);
const inside = await tab.evaluate(async () => {
  const { core, state: { curve: s } } = covaryPage;
  const at = Array.from({ length: 201 }, (_, i) => -3 + (16 * i) / 200);
  const all = [];
  for (let i = 0; i < 12; ++i) {
    const began = performance.now();
    await core.call({ call: "curve", kernel: s.kernel, noise: s.noise, mean: s.mean, x: s.points.map((p) => p[0]), y: s.points.map((p) => p[1]), at, of: "f", interval: 95, draws: 3, seed: 1 });
    all.push(performance.now() - began);
  }
  return all.sort((a, b) => a - b)[6];
});
console.log(`n = 100: a curve with its draws is computed in ${inside.toFixed(1)} ms; key to picture, the test's own polling included, ${times[6].toFixed(0)} ms`);
await browser.close();
