import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { VirtualClock } from "../../src/base/virtual-clock.ts";
import { openLmdbStore } from "../../src/store/lmdb/lmdb-store.ts";
import { runScript } from "../project.mjs";
import type { DiskFault } from "./disk-fault.ts";

test("LmdbStore: when the disk takes no more, nothing acknowledged is lost, and with room again writes are taken", async () => {
  const path = await mkdtemp(join(tmpdir(), "wherry-disk-fault-"));
  const fault = await runOnSmallDisk(path);
  const store = await openLmdbStore({ path, clock: new VirtualClock() });
  const keys = new Set((await store.list("/")).entries.map(({ key }) => key));
  const outcome = await store.commit([{ type: "put", key: "/0", value: new Uint8Array(1) }]);
  await store.close();
  await rm(path, { recursive: true });
  expect({
    wrote: fault.acknowledged.length > 100,
    endings: fault.endings.filter((code) => !refusals.has(code)),
    afterwards: refusals.has(fault.afterwards),
    read: fault.read,
    withRoom: fault.withRoom,
    step: fault.step,
    large: keys.has("/large"),
    lost: fault.acknowledged.filter((key) => !keys.has(key)),
    takesWritesAgain: outcome.ok,
  }).toEqual({
    wrote: true,
    endings: [],
    afterwards: true,
    read: fault.acknowledged.length,
    withRoom: "acknowledged",
    step: 1,
    large: true,
    lost: [],
    takesWritesAgain: true,
  });
});

const refusals = new Set(["UnknownOutcome", "Unavailable"]);

/** A file may grow to 4 MiB: 8192 blocks of half a KiB. */
async function runOnSmallDisk(path: string): Promise<DiskFault> {
  const program = join(import.meta.dirname, "disk-fault.ts");
  const command = `ulimit -S -f 8192 && exec "$0" "$@"`;
  const { stdout } = await promisify(execFile)("sh", [
    "-c",
    command,
    process.execPath,
    runScript,
    program,
    path,
  ]);
  return JSON.parse(stdout) as DiskFault;
}
