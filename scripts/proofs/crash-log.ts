import { closeSync, existsSync, openSync, readFileSync, writeSync } from "node:fs";

/** One change: what, which key, and the text of the value (which no other change has). */
export type LoggedOp = readonly ["put" | "delete", string, string?];

/** What a writer tells of itself, in the order in which it happened. */
export type LogLine =
  /** A commit is about to be made. */
  | readonly ["try", number, readonly LoggedOp[]]
  /** It was acknowledged with this revision. */
  | readonly ["ack", number, number]
  /** It failed a precondition. */
  | readonly ["void", number]
  /** The watch delivered a commit. */
  | readonly ["watch", number, readonly LoggedOp[]]
  | readonly ["compacted", number]
  /** A snapshot of this revision is whole. */
  | readonly ["snapshot", number];

/** A file that keeps what was written to it when its process is killed. */
export class CrashLog {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, "a");
  }

  write(line: LogLine): void {
    writeSync(this.#file, `${JSON.stringify(line)}\n`);
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** The lines of a log, but for a last one that the kill cut off. */
export function readCrashLog(path: string): LogLine[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as LogLine);
}
