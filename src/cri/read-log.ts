import { endsLine, LogLines } from "./log-lines.ts";
import type { LogOptions, LogPiece } from "./streams.ts";

/** A log file in the form of CRI, which may be renamed and continued in a new one. */
export interface LogFile {
  /** The offset of the last `count` lines; `endsLine` tells which records, with their newline, are the end of one. */
  tail(count: number, endsLine: (record: Uint8Array) => boolean): Promise<number>;
  /** Its bytes, and with `follow` those that are appended until `ended` is aborted. */
  read(options: LogFileOptions): AsyncIterable<Uint8Array>;
}

export interface LogFileOptions {
  /** The offset of the first byte. */
  readonly from: number;
  readonly follow: boolean;
  /** Aborted when nothing is appended any more. */
  readonly ended: AbortSignal;
  /** Aborted when nobody reads any more. */
  readonly signal: AbortSignal;
}

/** Reads the log of a container from its file; `ended` is aborted when the container has ended. */
export async function* readLog(
  file: LogFile,
  { tailLines, since = 0, follow, signal }: LogOptions,
  ended: AbortSignal,
): AsyncGenerator<LogPiece> {
  const from = tailLines === undefined ? 0 : await file.tail(tailLines, endsLine);
  const lines = new LogLines();
  for await (const bytes of file.read({ from, follow, ended, signal }))
    for (const piece of lines.add(bytes)) if (piece.at >= since) yield piece;
  for (const piece of lines.end()) if (piece.at >= since) yield piece;
}
