// Writes to a store until its disk takes no more, and prints what happened, as JSON. The limit comes from
// the shell: sh -c 'ulimit -f 8192; exec node scripts/run.mjs scripts/disk-fault.ts DIRECTORY'
import { realClock } from "../src/platform/real-clock.ts";
import { openLmdbStore } from "../src/store/lmdb/lmdb-store.ts";
import { StoreError } from "../src/store/store.ts";

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
}

// With a handler, writing beyond the limit fails instead of ending the process.
process.on("SIGXFSZ", () => undefined);
process.on("unhandledRejection", (reason) => {
  throw new Error("a rejection was not handled", { cause: reason });
});

const store = await openLmdbStore({ path: process.argv[2] ?? "", clock: realClock });
const acknowledged: string[] = [];
let next = 0;
const endings = await Promise.all(Array.from({ length: writers }, () => codeOf(writeOn())));
const afterwards = await codeOf(store.commit([{ type: "put", key: "/later", value }]));
const read = (await store.list("/")).entries.length;
await store.close();
console.log(JSON.stringify({ acknowledged, endings, afterwards, read } satisfies DiskFault));

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
