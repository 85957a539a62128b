import { readFile } from "node:fs/promises";
import type { Clock } from "../base/clock.ts";
import { fileFault } from "./file-fault.ts";

/** A file that somebody may replace: it is read again when it is asked for and some time has passed. */
export interface RereadFile {
  /** What it holds; what it held last where it cannot be read any more. */
  text(): Promise<string>;
  /** Reads it again now. */
  refresh(): Promise<string>;
}

/** As often as client-go reads token files, less the time that a token should still be good for. */
const staleMs = 50_000;

export function rereadFile(path: string, clock: Clock): RereadFile {
  let last: string | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<string> | undefined;
  const read = async (): Promise<string> => {
    try {
      last = await readFile(path, "utf8");
    } catch (cause) {
      if (last === undefined) throw new Error(fileFault("open", path, cause), { cause });
    } finally {
      reading = undefined;
    }
    readAt = clock.now();
    return last;
  };
  const refresh = (): Promise<string> => (reading ??= read());
  return {
    refresh,
    async text() {
      return last !== undefined && clock.now() - readAt < staleMs ? last : refresh();
    },
  };
}
