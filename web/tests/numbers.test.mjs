// The same numbers as the command: at fixed parameters, fitted, drawn, and the same choices.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { line, loadCore, native, plane } from "./core.mjs";

let core;
before(async () => (core = await loadCore()));

/** Numbers anywhere in two texts, side by side; everything between them has to be the same. */
function near(ours, theirs, tolerance, what) {
  const number = /-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;
  assert.equal(ours.replace(number, "#"), theirs.replace(number, "#"), `${what}: words`);
  const [a, b] = [ours.match(number) ?? [], theirs.match(number) ?? []];
  a.forEach((t, i) => {
    const [u, v] = [Number(t), Number(b[i])];
    assert.ok(Math.abs(u - v) <= tolerance * Math.max(1, Math.abs(v)), `${what}: number ${i}: ${t}, the command says ${b[i]}`);
  });
}
function json(ran) {
  assert.equal(ran.code, 0, ran.err);
  const j = JSON.parse(ran.out);
  for (const name of ["machine", "seconds", "evaluations"]) delete j[name];
  return j;
}

const points = "x\n-1\n0.5\n3.3\n20\n";
const given = [
  ["se(lengthscale=1.3)", "0.04", "zero"], ["2 * matern12(lengthscale=2)", "0.1", "constant"], ["matern32(lengthscale=0.7)", "0.01", "linear"],
  ["0.5 * matern52(lengthscale=4)", "1e-3", "constant"], ["rational_quadratic(lengthscale=1, alpha=2)", "0.04", "zero"],
  ["periodic(period=6.3, lengthscale=1) + 0.1 * linear(lengthscale=3)", "0.05", "zero"], ["se(lengthscale=3) * cosine(period=5) + 1", "0.1", "zero"],
];
given.forEach(([kernel, noise, mean], i) =>
  test(`case ${i + 1}: given parameters, ${kernel}`, () => {
    const fit = ["fit", "d.csv", "-t", "y", "-k", `fixed(${kernel})`, "--noise", noise, "-m", mean, "-o", "m.json", "--json"];
    const files = { "d.csv": line(40 + 30 * i) };
    const [ours, theirs] = [core.run(fit, files, ["m.json"]), native(fit, files, ["m.json"])];
    const [a, b] = [json(ours), json(theirs)];
    delete a.reciprocal_condition, delete b.reciprocal_condition; // an estimate
    near(JSON.stringify(a), JSON.stringify(b), 1e-10, "fit");
    const predict = ["predict", "m.json", "p.csv", "--of", "y", "--interval", "90"];
    near(core.run(predict, { "m.json": ours.files["m.json"], "p.csv": points }).out, native(predict, { "m.json": theirs.files["m.json"], "p.csv": points }).out, 1e-10, "predict");
  }));

const learned = [
  ["se()", line(60), []], ["matern52()", line(90), []], ["se() + linear()", line(50), []], ["matern32()", plane(70), ["--prior", "none"]],
  ["matern52()", plane(60), []],
];
learned.forEach(([kernel, table, more], i) =>
  test(`case ${i + 8}: learned, ${kernel}`, () => {
    const fit = ["fit", "d.csv", "-t", "y", "-k", kernel, "--json", ...more];
    const [a, b] = [json(core.run(fit, { "d.csv": table })), json(native(fit, { "d.csv": table }))];
    assert.ok(Math.abs(a.log_marginal_likelihood - b.log_marginal_likelihood) <= 1e-6, `${a.log_marginal_likelihood}, the command ${b.log_marginal_likelihood}`);
    a.parameters.forEach((p, k) => {
      if (p.flat || p.at_bound) return; // the likelihood does not say what it is
      assert.ok(Math.abs(Math.log(p.value / b.parameters[k].value)) <= 1e-4, `${p.name}: ${p.value}, the command ${b.parameters[k].value}`);
    });
    near([a.loo.rmse, a.loo.nlpd, a.loo.skill].join(" "), [b.loo.rmse, b.loo.nlpd, b.loo.skill].join(" "), 1e-6, "leave-one-out");
  }));

["ridge", "bayes", "linear"].forEach((model, i) =>
  test(`case ${i + 13}: ${model}`, () => {
    const fit = ["fit", "d.csv", "-t", "y", "--model", model, "--json"];
    const [a, b] = [json(core.run(fit, { "d.csv": plane(50) })), json(native(fit, { "d.csv": plane(50) }))];
    near(JSON.stringify(a.coefficients), JSON.stringify(b.coefficients), 1e-6, model);
  }));

function model(kernel, table) {
  return native(["fit", "d.csv", "-t", "y", "-k", `fixed(${kernel})`, "--noise", "0.05", "-o", "m.json"], { "d.csv": table }, ["m.json"]).files["m.json"];
}

test("case 16: samples by seed", () => {
  const files = { "m.json": model("matern52(lengthscale=1.5)", line(30)), "p.csv": points };
  for (const seed of ["1", "77"]) {
    const draw = ["sample", "m.json", "p.csv", "-n", "4", "--seed", seed];
    near(core.run(draw, files).out, native(draw, files).out, 1e-9, `seed ${seed}`);
  }
});

test("case 17: suggest makes the same choices", () => {
  const files = { "m.json": model("matern52(lengthscale=[0.3, 0.5, 2])", plane(40)), "c.csv": plane(60).replace(/,[^,\n]*$/gm, "") };
  for (const strategy of ["variance-reduction", "uncertainty", "density"]) {
    const ask = ["suggest", "m.json", "c.csv", "-n", "4", "--strategy", strategy];
    near(core.run(ask, files).out, native(ask, files).out, 1e-7, strategy);
  }
});

test("case 18: suggest in a domain, and tell", () => {
  const files = { "m.json": model("se(lengthscale=1)", line(20)), "n.csv": "x,y\n4.5,0.25\n" };
  const ask = ["suggest", "m.json", "--over", "x=0:10:0.5", "--maximize", "-n", "2"];
  near(core.run(ask, files).out, native(ask, files).out, 1e-6, "expected improvement");
  const told = [core, { run: native }].map((c) => c.run(["tell", "m.json", "n.csv"], files, ["m.json"]).files["m.json"]);
  const predict = ["predict", "m.json", "p.csv"];
  near(core.run(predict, { "m.json": told[0], "p.csv": points }).out, native(predict, { "m.json": told[1], "p.csv": points }).out, 1e-10, "told");
});

test("case 19: place makes the same choices", () => {
  const places = "name,x,y\n" + Array.from({ length: 48 }, (_, i) => `p${i},${i % 8},${Math.floor(i / 8) * 1.1 + 0.01 * (i % 8)}`).join("\n") + "\n";
  for (const criterion of ["mutual-information", "entropy", "variance"]) {
    const put = ["place", "c.csv", "-k", "5", "--criterion", criterion, "--kernel", "matern52(lengthscale=2.1)", "--noise", "0.1", "--coordinates", "x,y"];
    near(core.run(put, { "c.csv": places }).out, native(put, { "c.csv": places }).out, 1e-7, criterion);
  }
});

test("case 20: check says the same, and a model file goes both ways", () => {
  const files = { "m.json": model("se(lengthscale=1)", line(60)) };
  const check = ["check", "m.json", "--json"];
  near(core.run(check, files).out, native(check, files).out, 1e-8, "check");
  const ours = core.run(["fit", "d.csv", "-t", "y", "-o", "m.json"], { "d.csv": line(25) }, ["m.json"]).files["m.json"];
  assert.equal(native(["predict", "m.json", "p.csv"], { "m.json": ours, "p.csv": points }).code, 0);
});

test("calls of the page agree with the command", () => {
  const csv = line(12);
  const rows = csv.trim().split("\n").slice(1).map((r) => r.split(",").map(Number));
  const [x, y] = [rows.map((r) => r[0]), rows.map((r) => r[1])];
  const kernel = "1.5 * se(lengthscale=0.8)";
  const curve = core.call({ call: "curve", kernel, noise: 0.1, x, y, at: [-1, 0.5, 3.3, 20], of: "y", interval: 95, draws: 2, seed: 3 });
  const fit = native(["fit", "d.csv", "-t", "y", "-k", `fixed(${kernel})`, "-m", "zero", "--noise", "0.1", "-o", "m.json", "--json"], { "d.csv": csv }, ["m.json"]);
  assert.ok(Math.abs(curve.log_marginal_likelihood - JSON.parse(fit.out).log_marginal_likelihood) <= 1e-10);
  const predicted = native(["predict", "m.json", "p.csv", "--of", "y"], { "m.json": fit.files["m.json"], "p.csv": points }).out.split("\n").slice(1).map((l) => l.split(",").map(Number));
  predicted.forEach((p, i) => assert.ok(Math.abs(p[1] - curve.mean[i]) <= 1e-10 && Math.abs(p[2] - curve.sd[i]) <= 1e-10));
  assert.equal(curve.samples.length, 2);

  const wide = core.call({ call: "landscape", kernel, noise: 0.1, x, y, first: 1, second: 2, across: [Math.log(0.8)], up: [Math.log(0.1)], path: true });
  assert.ok(Math.abs(wide.values[0][0] - core.call({ call: "curve", kernel, noise: 0.1, x, y, at: [0] }).log_marginal_likelihood) <= 1e-9);
  assert.ok(wide.path.at(-1)[2] >= wide.values[0][0]);
});

test("what is wrong is said in words, and nothing is left behind", () => {
  const ran = (l, files) => core.run(l, files);
  assert.match(ran(["fit", "d.csv", "-t", "z"], { "d.csv": line(5) }).err, /no column|z/);
  assert.equal(ran(["fit", "d.csv", "-t", "y"], { "d.csv": "x,y\n1,hot\n2,3\n3,4\n" }).code, 3);
  assert.equal(ran(["predict", "m.json", "d.csv"], { "m.json": '{"format":"covary model"', "d.csv": points }).code, 3);
  assert.equal(ran(["nonsense"], {}).code, 2);
  assert.equal(core.call({ call: "curve", kernel: "see()", noise: 1, x: [], y: [], at: [0] }).code, 2);
  assert.match(core.call({ call: "explain", kernel: "rbf()", at: [0, 1] }).error, /se/);
  const bad = ran(["fit", "d.csv", "-t", "y", "-o", "m.json"], { "d.csv": "x,y\n1,hot\n" });
  assert.deepEqual(bad.left, ["d.csv"]);
  assert.doesNotMatch(ran(["kernels", "se("], {}).err, /was written/);
});

test("a European table, a gzip file, and memory that is not there", () => {
  const ran = core.run(["fit", "d.csv", "-t", "y", "--json"], { "d.csv": "x;y\n1,5;2,5\n2,5;3,1\n3,5;2,2\n4,5;1,9\n" });
  assert.equal(ran.code, 0, ran.err);
  const packed = core.run(["fit", "d.csv", "-t", "y"], { "d.csv": new Uint8Array([0x1f, 0x8b, 8, 0, 0]) });
  assert.match(packed.err, /unpack it first/);
  const many = "x,y\n" + Array.from({ length: 30000 }, (_, i) => `${i},${i % 7}`).join("\n") + "\n";
  const refused = core.run(["fit", "d.csv", "-t", "y", "-k", "fixed(se(lengthscale=3))", "--noise", "1", "--inference", "exact()"], { "d.csv": many });
  assert.equal(refused.code, 5, refused.err);
  assert.match(refused.err, /GiB/);
});
