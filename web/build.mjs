// Makes the page of what Vite makes of src/ and of the core: one self-contained file, and the same in parts.
//   node build.mjs CORE OUT     CORE: folder with covary.js and covary.wasm; OUT: gets index.html and served/
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "vite";

const [coreFolder = "../build-web", out = "../build/page"] = process.argv.slice(2);

/** One script of an entry, and its style. */
async function bundle(entry, name) {
  const result = await build({
    root: import.meta.dirname ?? process.cwd(), configFile: false, logLevel: "warn",
    build: {
      write: false, target: "es2022", cssCodeSplit: false, modulePreload: false,
      lib: { entry, formats: ["iife"], name, fileName: name }, rollupOptions: { output: { inlineDynamicImports: true } },
    },
  });
  const files = result[0].output;
  const text = (ending) => files.filter((f) => f.fileName.endsWith(ending)).map((f) => f.code ?? String(f.source)).join("\n");
  return { script: text(".js"), style: text(".css") };
}

/** LZMA with the size in its header, which xz leaves open. */
function packed(bytes) {
  const ran = spawnSync("xz", ["--format=lzma", "-9e", "--stdout"], { input: bytes, maxBuffer: 1 << 28 });
  if (ran.status !== 0) throw new Error(`xz failed: ${ran.error ?? ran.stderr}`);
  ran.stdout.writeBigUInt64LE(BigInt(bytes.length), 5);
  return ran.stdout;
}

const page = await bundle("src/main.ts", "page");
const worker = await bundle("src/core/worker.ts", "worker");
const glue = readFileSync(join(coreFolder, "covary.js"), "utf8");
const wasm = packed(readFileSync(join(coreFolder, "covary.wasm")));
const workerScript = `${glue}\n${worker.script}`;

const inside = (script) => script.replace(/<\/script/gi, "<\\/script").replace(/<!--/g, "<\\!--");
const policy = (connect) =>
  `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline' 'self' blob: 'wasm-unsafe-eval'; ` +
  `worker-src blob:; style-src 'unsafe-inline' 'self'; img-src data: blob:; connect-src ${connect}">`;
const template = readFileSync("index.html", "utf8");
const filled = (parts) => Object.entries(parts).reduce((text, [name, part]) => text.replace(`<!--${name}-->`, () => part), template);

const whole = filled({
  policy: policy("data: blob:"),
  style: `<style>${page.style}</style>`,
  scripts:
    `<script type="text/plain" id="core-script">${inside(workerScript)}</script>\n` +
    `<script type="text/plain" id="core-wasm">${wasm.toString("base64")}</script>\n<script>${inside(page.script)}</script>`,
});
rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, "served"), { recursive: true });
writeFileSync(join(out, "index.html"), whole);
writeFileSync(join(out, "served/index.html"), filled({
  policy: policy("'self'"), style: '<link rel="stylesheet" href="page.css">', scripts: '<script defer src="page.js"></script>',
}));
writeFileSync(join(out, "served/page.css"), page.style);
writeFileSync(join(out, "served/page.js"), page.script);
writeFileSync(join(out, "served/worker.js"), workerScript);
writeFileSync(join(out, "served/covary.wasm.lzma"), wasm);

const size = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;
const zipped = gzipSync(whole, { level: 9 }).length;
console.log(`${join(out, "index.html")}: ${size(Buffer.byteLength(whole))}, ${size(zipped)} compressed`);
const [most, mostPacked] = [3.5e6, 1.3e6];
if (Buffer.byteLength(whole) > most || zipped > mostPacked) {
  console.error(`the page is larger than ${size(most)} raw and ${size(mostPacked)} compressed`);
  process.exit(1);
}
