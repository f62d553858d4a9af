// Debian's Chromium with the page in it. Every request but those for the page itself is a failure, and so is every error
// on the console.
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "playwright-core";

export const page = process.env.COVARY_PAGE ?? new URL("../../build/page/index.html", import.meta.url).pathname;
export const fileUrl = `file://${page}`;

export async function launch() {
  const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);
  if (!executablePath) throw new Error("chromium is missing: run scripts/setup page");
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}

/** A page that is ready, and what it asked for and complained of. */
export async function open(browser, { url = fileUrl, ready = true, setUp, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, acceptDownloads: true, ...options });
  const tab = await context.newPage();
  const problems = [];
  const asked = [];
  tab.on("console", (m) => m.type() === "error" && problems.push(m.text()));
  tab.on("pageerror", (e) => problems.push(String(e)));
  tab.on("request", (r) => /^(https?|ws|file):/.test(r.url()) && asked.push(r.url()));
  if (setUp) await setUp(tab, context);
  await tab.goto(url);
  if (ready) await tab.waitForSelector("html[data-ready]", { timeout: 60000 });
  return { tab, context, problems, asked };
}

/** Waits until `what`, a function run in the page, is true. (waitForFunction would need eval, which the page forbids.) */
export async function until(tab, what, argument, limit = 60000) {
  const end = Date.now() + limit;
  while (!(await tab.evaluate(what, argument))) {
    if (Date.now() > end) throw new Error(`still not so after ${limit} ms: ${what}`);
    await tab.waitForTimeout(20);
  }
}

/** Waits for an answer of the core that is newer than what `act` began from. */
export async function answered(tab, act) {
  const count = () => tab.evaluate(() => Number(document.querySelector(".curve-view").dataset.answers ?? 0));
  const before = await count();
  await act();
  await until(tab, (n) => Number(document.querySelector(".curve-view").dataset.answers ?? 0) > n, before);
}

/** The folder version, over HTTP from this machine. */
export function serve(folder) {
  const types = { html: "text/html", js: "text/javascript", css: "text/css" };
  const server = createServer(async (request, response) => {
    try {
      const name = request.url.split(/[?#]/)[0];
      const path = join(folder, name === "/" ? "index.html" : name);
      response.setHeader("content-type", types[path.split(".").at(-1)] ?? "application/octet-stream");
      response.end(await readFile(path));
    } catch {
      response.statusCode = 404;
      response.end();
    }
  });
  return new Promise((done) => server.listen(0, "127.0.0.1", () => done({ url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() })));
}
