// The page's side of the worker: questions in, promises out. A worker that broke (memory that ran out) is replaced by
// another; nothing is lost, because the page holds everything.
import type { Answer, Files, Question, Ran } from "./messages";

type Open = Question extends infer Q ? (Q extends Question ? Omit<Q, "id"> : never) : never;
type Waiting = { done: (value: unknown) => void; failed: (why: Error) => void };

export class CoreError extends Error {}

function bytesOf(base64: string): Uint8Array {
  const text = atob(base64);
  const out = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) out[i] = text.charCodeAt(i);
  return out;
}

/** The packed module and the worker's script: inside the page, or beside it. */
async function parts(): Promise<{ wasm: Uint8Array; script: string }> {
  const wasm = document.getElementById("core-wasm")?.textContent?.trim();
  const script = document.getElementById("core-script")?.textContent;
  if (wasm && script) return { wasm: bytesOf(wasm), script };
  const [w, s] = await Promise.all([fetch("covary.wasm.lzma"), fetch("worker.js")]);
  return { wasm: new Uint8Array(await w.arrayBuffer()), script: await s.text() };
}

export class Core {
  private worker?: Worker;
  private waiting = new Map<number, Waiting>();
  private next = 1;
  private started?: Promise<void>;
  private latest = new Map<string, number>();

  start(): Promise<void> {
    this.started ??= this.begin();
    return this.started;
  }

  private async begin(): Promise<void> {
    if (typeof WebAssembly === "undefined")
      throw new CoreError("This page computes with WebAssembly, which is switched off in this browser. Switch it on and reload.");
    const { wasm, script } = await parts();
    const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    this.worker = new Worker(url);
    this.worker.onmessage = (event: MessageEvent<Answer>) => this.hear(event.data);
    this.worker.onerror = (event) => this.broke(event.message || "the worker ended");
    const copy = new ArrayBuffer(wasm.byteLength);
    new Uint8Array(copy).set(wasm);
    await this.ask({ kind: "boot", wasm: copy });
    URL.revokeObjectURL(url);
  }

  private ask(question: Open): Promise<unknown> {
    const id = this.next++;
    return new Promise((done, failed) => {
      this.waiting.set(id, { done, failed });
      this.worker!.postMessage({ id, ...question });
    });
  }

  private hear(answer: Answer): void {
    if (answer.broken !== undefined) return this.broke(answer.broken);
    this.waiting.get(answer.id)?.done(answer.result);
    this.waiting.delete(answer.id);
  }

  private broke(why: string): void {
    const memory = /memory|allocation|out of bounds/i.test(why);
    this.stop(memory ? "The browser gives this page no more memory; what you entered is still here. Try fewer rows." : `The core stopped: ${why}`);
  }

  /** Ends what is being computed; the next question starts afresh. */
  stop(why = "stopped"): void {
    this.worker?.terminate();
    this.started = undefined;
    const all = [...this.waiting.values()];
    this.waiting.clear();
    for (const w of all) w.failed(new CoreError(why));
  }

  /** A line of the command, on these files. */
  async run(line: string[], files: Files = {}, read: string[] = []): Promise<Ran> {
    await this.start();
    return (await this.ask({ kind: "run", line, files, read })) as Ran;
  }

  /** The same, but returns standard output; throws the messages of the command if it fails. */
  async text(line: string[], files: Files = {}): Promise<string> {
    const ran = await this.run(line, files);
    if (ran.code !== 0) throw new CoreError(spoken(ran.err));
    return ran.out;
  }

  async call<T>(question: object, files: Files = {}): Promise<T> {
    await this.start();
    const answer = (await this.ask({ kind: "call", question, files })) as T & { error?: string };
    if (answer.error !== undefined) throw new CoreError(answer.error);
    return answer;
  }

  /** The same, for questions of which only the last matters: undefined if another of this name came after it. */
  async last<T>(name: string, question: object): Promise<T | undefined> {
    const mine = (this.latest.get(name) ?? 0) + 1;
    this.latest.set(name, mine);
    await this.running.get(name)?.catch(() => undefined);
    if (this.latest.get(name) !== mine) return undefined;
    const asked = this.call<T>(question);
    this.running.set(name, asked);
    return asked;
  }
  private running = new Map<string, Promise<unknown>>();
}

/** What the command said on standard error, without its name in front. */
export function spoken(err: string): string {
  return err
    .split("\n")
    .filter((line) => line.startsWith("covary: error") || !line.startsWith("covary:"))
    .map((line) => line.replace(/^covary: error: /, ""))
    .join("\n")
    .trim();
}
export function notes(err: string): string[] {
  return err
    .split("\n")
    .filter((line) => line.startsWith("covary: note: "))
    .map((line) => line.slice("covary: note: ".length));
}

export const core = new Core();
