// Writes to a store until its disk takes no more, then makes room, and prints what happened, as JSON. The
// limit comes from the shell: sh -c 'ulimit -S -f 8192; exec node scripts/build/run.mjs scripts/proofs/disk-fault.ts DIRECTORY'
import { execFileSync } from "node:child_process";
import { realClock } from "../../src/platform/real-clock.ts";
import { openLmdbStore } from "../../src/store/lmdb/lmdb-store.ts";
import { StoreError } from "../../src/store/store.ts";

const writers = 8;
const value = new Uint8Array(20_000).fill(7);

export interface DiskFault {
  /** The keys whose commit was acknowledged. */
  readonly acknowledged: readonly string[];
  /** How each writer ended. */
  readonly endings: readonly string[];
  /** How a commit after that ended. */
  readonly afterwards: string;
  /** How many keys could still be read. */
  readonly read: number;
  /** How a commit ended once there was room again, and its revision's distance from the last before. */
  readonly withRoom: string;
  readonly step: number;
}

// With a handler, writing beyond the limit fails instead of ending the process.
process.on("SIGXFSZ", () => undefined);
process.on("unhandledRejection", (reason) => {
  throw new Error("a rejection was not handled", { cause: reason });
});

let ahead = 0;
const clock = { ...realClock, now: () => realClock.now() + ahead };
const store = await openLmdbStore({ path: process.argv[2] ?? "", clock });
const acknowledged: string[] = [];
let next = 0;
const endings = await Promise.all(Array.from({ length: writers }, () => codeOf(writeOn())));
// So large that there cannot be room for it.
const large = new Uint8Array(8_000_000);
const afterwards = await codeOf(store.commit([{ type: "put", key: "/later", value: large }]));
const read = (await store.list("/")).entries.length;
const before = await store.currentRevision();
execFileSync("prlimit", ["--pid", `${process.pid}`, "--fsize=unlimited"]);
// It is tried again after some time.
ahead += 1000;
const withRoom = await codeOf(store.commit([{ type: "put", key: "/large", value: large }]));
const step = (await store.currentRevision()) - before;
await store.close();
const fault: DiskFault = { acknowledged, endings, afterwards, read, withRoom, step };
console.log(JSON.stringify(fault));

async function writeOn(): Promise<never> {
  for (;;) {
    const key = `/${next++}`;
    await store.commit([{ type: "put", key, value }]);
    acknowledged.push(key);
  }
}

async function codeOf(commit: Promise<unknown>): Promise<string> {
  try {
    await commit;
    return "acknowledged";
  } catch (error) {
    return error instanceof StoreError ? error.code : String(error);
  }
}
