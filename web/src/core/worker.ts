// The core in a classic worker, made from a Blob so that a page opened as a file has one too. It keeps nothing between
// messages: every run brings its files and takes the results away.
import { unpack } from "./lzma";
import type { Answer, Question } from "./messages";

interface FileSystem {
  writeFile(path: string, data: string | Uint8Array): void;
  readFile(path: string): Uint8Array;
  readdir(path: string): string[];
  unlink(path: string): void;
  mkdir(path: string): void;
  chdir(path: string): void;
  analyzePath(path: string): { exists: boolean };
}
interface Covary {
  FS: FileSystem;
  stringToNewUTF8(text: string): number;
  UTF8ToString(at: number): string;
  _covary_run(line: number): number;
  _covary_call(question: number): number;
  _covary_free(at: number): void;
  _free(at: number): void;
}
declare function createCovary(options: object): Promise<Covary>;

let core: Covary | undefined;

/** What goes to a standard stream, byte by byte: no terminal, so neither colors nor progress. */
class Stream {
  private bytes = new Uint8Array(1 << 16);
  private size = 0;
  put = (byte: number | null): void => {
    if (byte === null) return;
    if (this.size === this.bytes.length) {
      const more = new Uint8Array(2 * this.size);
      more.set(this.bytes);
      this.bytes = more;
    }
    this.bytes[this.size++] = byte;
  };
  take(): string {
    const text = new TextDecoder().decode(this.bytes.subarray(0, this.size));
    this.size = 0;
    return text.replace(/\n$/, "");
  }
}
const out = new Stream();
const err = new Stream();

async function boot(wasm: ArrayBuffer): Promise<void> {
  core = await createCovary({
    wasmBinary: unpack(new Uint8Array(wasm)),
    stdout: out.put,
    stderr: err.put,
  });
  core.FS.mkdir("/files");
  core.FS.chdir("/files");
}

function withText<T>(text: string, use: (at: number) => T): T {
  const at = core!.stringToNewUTF8(text);
  try {
    return use(at);
  } finally {
    core!._free(at);
  }
}

function clear(): void {
  for (const name of core!.FS.readdir("/files")) if (name !== "." && name !== "..") core!.FS.unlink(`/files/${name}`);
}

function run(line: string[], files: Record<string, string | Uint8Array>, read: string[]): Answer["result"] {
  clear();
  for (const [name, data] of Object.entries(files)) core!.FS.writeFile(name, data);
  out.take();
  err.take();
  const code = withText(JSON.stringify(line), (at) => core!._covary_run(at));
  const results: Record<string, Uint8Array> = {};
  for (const name of read) if (core!.FS.analyzePath(name).exists) results[name] = core!.FS.readFile(name);
  return { code, out: out.take(), err: err.take(), files: results };
}

function call(question: object, files: Record<string, string | Uint8Array>): unknown {
  for (const [name, data] of Object.entries(files)) core!.FS.writeFile(name, data);
  return withText(JSON.stringify(question), (at) => {
    const answer = core!._covary_call(at);
    const text = core!.UTF8ToString(answer);
    core!._covary_free(answer);
    return JSON.parse(text);
  });
}

self.onmessage = async (event: MessageEvent<Question>) => {
  const q = event.data;
  try {
    let result: unknown;
    if (q.kind === "boot") await boot(q.wasm);
    else if (q.kind === "run") result = run(q.line, q.files, q.read);
    else result = call(q.question, q.files);
    self.postMessage({ id: q.id, result });
  } catch (e) {
    // An exception from inside WebAssembly leaves its memory in an unknown state: the page starts another worker.
    self.postMessage({ id: q.id, broken: String(e) });
  }
};
