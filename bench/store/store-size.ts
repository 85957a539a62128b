import { statSync } from "node:fs";
import { join } from "node:path";
import { verdict } from "../apiserver/apiserver-verdict.ts";
import { podKey, timed, value, withStores } from "./store-context.ts";

const keys = 1000;
const updates = 1_000_000;
/** As often as an API server's five minutes are, at a rate that few clusters have. */
const compactEvery = 50_000;

/** How large the file becomes by a million updates of a thousand keys, compacted as they go. */
export function benchSize(): Promise<void> {
  return withStores(async ({ path, lmdb }) => {
    let next = 0;
    let compacted = 1;
    let compacting = Promise.resolve();
    let longestMs = 0;
    const write = async (): Promise<void> => {
      while (next < updates) {
        const key = podKey(next++ % keys);
        const began = performance.now();
        const { revision } = await lmdb.commit([{ type: "put", key, value }]);
        longestMs = Math.max(longestMs, performance.now() - began);
        if (revision - compacted < compactEvery) continue;
        compacted = revision;
        compacting = compacting.then(() => lmdb.compact(revision));
      }
    };
    const ms = await timed(() => Promise.all(Array.from({ length: 256 }, write)));
    await compacting;
    const { size } = statSync(join(path, "data.mdb"));
    const rate = Math.round((updates / ms) * 1000).toLocaleString("en");
    const megabytes = size / 1e6;
    console.log(
      `\n${updates.toLocaleString("en")} updates of ${keys} keys, ${rate} /s, the slowest ${longestMs.toFixed(0)} ms: ${megabytes.toFixed(0)} MB`,
    );
    // What is there between two compactions, as it would be without a page lost.
    const least = ((keys + compactEvery) * value.length) / 1e6;
    verdict("size of the file to what is kept", megabytes / least, { most: 2, unit: "×" });
  });
}
