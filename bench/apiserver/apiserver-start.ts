import { join } from "node:path";
import { startBare, startWherry, stop } from "./apiserver-process.ts";
import { median, verdict } from "./apiserver-verdict.ts";

/** How much later than a bare server one that has its certificates is ready. */
export async function benchStart(work: string): Promise<void> {
  const data = join(work, "data");
  const pki = join(data, "pki");
  const first = await startWherry(data);
  console.log(
    `\nfirst start, with certificates to make: ready after ${first.startedMs.toFixed(0)} ms`,
  );
  await stop(first);
  const starts = { bare: [] as number[], wherry: [] as number[] };
  for (let i = 0; i < 7; i++) {
    const bare = await startBare("https", pki);
    starts.bare.push(bare.startedMs);
    await stop(bare);
    const own = await startWherry(data);
    starts.wherry.push(own.startedMs);
    await stop(own);
  }
  const [bare, own] = [median(starts.bare), median(starts.wherry)];
  console.log(
    `bare node:https listens after ${bare.toFixed(0)} ms, wherry is ready after ${own.toFixed(0)} ms`,
  );
  verdict("ready after a bare server would listen", own - bare, { most: 450, unit: "ms" });
}
