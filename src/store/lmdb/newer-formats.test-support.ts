import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { runScript } from "../../../test/project.ts";
import type { Database } from "./database.ts";
import { currentFormat, type Format, type Upgrade } from "./format.ts";
import { Journal } from "./journal.ts";
import { decodeHeader, decodeValue, encodeRecord } from "./record.ts";

/** A possible format after the next: each upgrade appends something to every key. */
export function afterNext(second: Upgrade = addToKeys("+2")): Format {
  const { version } = currentFormat;
  return {
    version: version + 2,
    upgrades: new Map([
      [version, addToKeys("+1")],
      [version + 1, second],
    ]),
  };
}

export function addToKeys(suffix: string): Upgrade {
  return (db: Database): void => {
    const ids = Array.from(db.getKeys({ start: Buffer.of(0, 0, 0, 0, 0, 1, 0, 0) }));
    for (const id of ids) {
      const record = db.getBinaryFast(id) ?? Buffer.alloc(0);
      const header = decodeHeader(id, record);
      const key = `${header.key}${suffix}`;
      void db.put(id, encodeRecord({ ...header, key }, decodeValue(id, record)).record);
    }
  };
}

/** Starts an upgrade in a process that is killed in the middle; resolves with the signal. */
export async function upgradeAndDie(path: string): Promise<unknown> {
  const program = join(import.meta.dirname, "newer-formats.test-support.ts");
  const child = spawn(process.execPath, [runScript, program, path], { stdio: "ignore" });
  const [, signal] = await once(child, "exit");
  return signal;
}

// Only in the child process, not where this file is imported.
if (process.argv[1]?.includes("newer-formats.test-support")) {
  const die: Upgrade = (db) => {
    addToKeys("+2")(db);
    process.kill(process.pid, "SIGKILL");
  };
  await Journal.open(process.argv[2] ?? "", afterNext(die));
}
