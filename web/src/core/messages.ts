export type Files = Record<string, string | Uint8Array>;

export type Question =
  | { id: number; kind: "boot"; wasm: ArrayBuffer }
  | { id: number; kind: "run"; line: string[]; files: Files; read: string[] }
  | { id: number; kind: "call"; question: object; files: Files };

export interface Ran {
  code: number;
  out: string;
  err: string;
  files: Record<string, Uint8Array>;
}
export interface Answer {
  id: number;
  result?: unknown;
  broken?: string;
}
