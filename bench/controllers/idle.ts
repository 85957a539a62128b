import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  megabytes,
  otherCheckout,
  processorMs,
  type Server,
  startAgainst,
  startWherry,
  stop,
} from "../apiserver/apiserver-process.ts";
import { verdict } from "../apiserver/apiserver-verdict.ts";
import { administer, nodesReady, revisionOf } from "../cluster/cluster-client.ts";

/** Until V8 has tidied up after the start, which it does when nothing else is to do. */
const settlingSeconds = 20;
const watchedSeconds = 30;
const flags = ["server", "--nodes", "1"] as const;

/**
 * What a cluster with one node and all controllers takes when it is idle, and how much memory more than
 * that of another checkout, where one is given: both run at the same time.
 */
export async function benchIdle(work: string): Promise<void> {
  const own = await startTwice(startWherry, join(work, "data"));
  const other = otherCheckout() ? await startTwice(startAgainst, join(work, "other")) : undefined;
  await delay(settlingSeconds * 1000);
  const session = administer(own, join(work, "data"));
  const before = { ms: processorMs(own), revision: await revisionOf(session) };
  await delay(watchedSeconds * 1000);
  const commits = (await revisionOf(session)) - before.revision;
  const share = (processorMs(own) - before.ms) / (watchedSeconds * 1000);
  console.log(`\nan idle cluster with one node: ${megabytes(own).toFixed(0)} MB`);
  verdict("processor", share * 100, { most: 1, unit: "%" });
  verdict(`commits in ${watchedSeconds} s`, commits, { most: 4, unit: "" });
  if (other) {
    console.log(`the other checkout: ${megabytes(other).toFixed(0)} MB`);
    verdict("memory more", megabytes(own) - megabytes(other), { most: 15, unit: "MB" });
    await stop(other);
  }
  session.close();
  await stop(own);
}

/** The second start has no certificates to make. */
async function startTwice(start: typeof startWherry, data: string): Promise<Server> {
  await stop(await start(data, ...flags));
  const server = await start(data, ...flags);
  const session = administer(server, data);
  await nodesReady(session, 1);
  session.close();
  return server;
}
