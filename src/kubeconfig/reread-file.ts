import { readFile } from "node:fs/promises";
import type { Clock } from "../base/clock.ts";
import { fileFault } from "./file-fault.ts";

/** A file that may be replaced: a read after some time reads it again. */
export interface RereadFile {
  /** The content; the last one if the file cannot be read any more. */
  text(): Promise<string>;
  /** Reads the file again now. */
  refresh(): Promise<string>;
}

/** client-go's interval for token files, less the validity that a token should still have. */
const staleMs = 50_000;

export function rereadFile(path: string, clock: Clock, maxAgeMs = staleMs): RereadFile {
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
      return last !== undefined && clock.now() - readAt < maxAgeMs ? last : refresh();
    },
  };
}
