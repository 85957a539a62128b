import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { replacePrivateFile } from "../../platform/files.ts";
import { isRunning, type ProcessIdentity } from "../../platform/process-identity.ts";
import type { BoxAddresses } from "./box-network.ts";
import type { BoxPaths } from "./box-paths.ts";

/** What is stored of a box, before anything else of it is made. */
export interface BoxRecord extends BoxAddresses {
  readonly cluster: string;
  readonly node: string;
  /** Absent until it is complete. */
  readonly init?: ProcessIdentity | undefined;
}

/** Reads the record of a box; undefined if there is none, or none that can be read. */
export async function readBoxRecord({ record }: BoxPaths): Promise<BoxRecord | undefined> {
  try {
    return JSON.parse(await readFile(record, "utf8")) as BoxRecord;
  } catch {
    // A power failure may leave an empty file. Then no box runs either.
    return undefined;
  }
}

export const writeBoxRecord = ({ record }: BoxPaths, content: BoxRecord): Promise<void> =>
  replacePrivateFile(record, `${JSON.stringify(content, undefined, 2)}\n`);

/** Whether the first process of a box still holds its namespaces: one that is ending has left them. */
export const holdsBox = (init: ProcessIdentity): boolean =>
  isRunning(init) && existsSync(`/proc/${init.pid}/ns/mnt`);
