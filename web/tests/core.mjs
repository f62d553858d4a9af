// The WebAssembly core in Node, and the command beside it.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = process.env.COVARY_WEB ?? new URL("../../build-web", import.meta.url).pathname;
const command = process.env.COVARY_COMMAND ?? new URL("../../build/covary", import.meta.url).pathname;

const text = (bytes) => Buffer.from(bytes).toString("utf8").replace(/\n$/, "");
let out = [];
let err = [];
export async function loadCore() {
  const create = createRequire(import.meta.url)(join(folder, "covary.js"));
  const put = (to) => (byte) => byte !== null && to().push(byte);
  const core = await create({ wasmBinary: readFileSync(join(folder, "covary.wasm")), stdout: put(() => out), stderr: put(() => err) });
  core.FS.mkdir("/files");
  core.FS.chdir("/files");
  const given = (text, use) => {
    const at = core.stringToNewUTF8(text);
    const result = use(at);
    core._free(at);
    return result;
  };
  return {
    run(line, files = {}, read = []) {
      for (const name of core.FS.readdir("/files")) if (!name.startsWith(".")) core.FS.unlink(`/files/${name}`);
      for (const [name, text] of Object.entries(files)) core.FS.writeFile(name, text);
      out = [];
      err = [];
      const code = given(JSON.stringify(line), (at) => core._covary_run(at));
      const left = core.FS.readdir("/files").filter((n) => !n.startsWith("."));
      const results = Object.fromEntries(read.filter((n) => left.includes(n)).map((n) => [n, new TextDecoder().decode(core.FS.readFile(n))]));
      return { code, out: text(out), err: text(err), files: results, left };
    },
    call(question, files = {}) {
      for (const [name, text] of Object.entries(files)) core.FS.writeFile(name, text);
      return given(JSON.stringify(question), (at) => {
        const answer = core._covary_call(at);
        const text = core.UTF8ToString(answer);
        core._covary_free(answer);
        return JSON.parse(text);
      });
    },
  };
}

/** The same line by the command itself, in a folder of its own. */
export function native(line, files = {}, read = []) {
  const at = mkdtempSync(join(tmpdir(), "covary-page-"));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(at, name), text);
    const ran = spawnSync(command, [...line, ...(line.length > 1 && /^(fit|predict|check|suggest|tell|place)$/.test(line[0]) ? ["--threads", "1"] : [])], { cwd: at, encoding: "utf8", env: { ...process.env, LC_ALL: "C.UTF-8" } });
    if (ran.error) throw ran.error;
    const results = Object.fromEntries(read.map((n) => [n, readFileSync(join(at, n), "utf8")]));
    return { code: ran.status, out: ran.stdout.replace(/\n$/, ""), err: ran.stderr.replace(/\n$/, ""), files: results };
  } finally {
    rmSync(at, { recursive: true, force: true });
  }
}

const noise = (i) => (((Math.sin(i * 12.9898) * 43758.5453) % 1) + 1) % 1;
const rounded = (v) => v.toFixed(6);
export function line(n) {
  return "x,y\n" + Array.from({ length: n }, (_, i) => [10 * noise(i + 1), 0].map((x, k, r) => rounded(k ? Math.sin(r[0]) + 0.1 * r[0] + 0.3 * (noise(7 * i) - 0.5) : x)).join(",")).join("\n") + "\n";
}
export function plane(n) {
  return "a,b,c,y\n" + Array.from({ length: n }, (_, i) => {
    const [a, b, c] = [noise(i + 1), noise(2 * i + 5), noise(5 * i + 2)];
    return [a, b, c, Math.sin(6 * a) + 2 * (b - 0.5) ** 2 + 0.2 * (noise(11 * i) - 0.5)].map(rounded).join(",");
  }).join("\n") + "\n";
}
