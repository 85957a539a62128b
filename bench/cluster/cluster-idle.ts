import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { megabytes, processorMs, startWherry, stop } from "../apiserver/apiserver-process.ts";
import { verdict } from "../apiserver/apiserver-verdict.ts";
import { administer, nodesReady, revisionOf } from "./cluster-client.ts";

/** Until V8 has tidied up after the start, which it does when nothing else is to do. */
const settlingSeconds = 20;
const watchedSeconds = 30;

/** What a cluster with one node takes that nobody asks for anything: memory, processor, commits. */
export async function benchIdleCluster(work: string): Promise<void> {
  const data = join(work, "data");
  await stop(await startWherry(data, "server"));
  const server = await startWherry(data, "server", "--nodes", "1");
  const session = administer(server, data);
  await nodesReady(session, 1);
  await delay(settlingSeconds * 1000);
  const before = { ms: processorMs(server), revision: await revisionOf(session) };
  await delay(watchedSeconds * 1000);
  const commits = (await revisionOf(session)) - before.revision;
  const share = (processorMs(server) - before.ms) / (watchedSeconds * 1000);
  console.log("\nan idle cluster with one node:");
  verdict("resident memory", megabytes(server), { most: 150, unit: "MB" });
  verdict("processor", share * 100, { most: 1, unit: "%" });
  verdict("commits in 30 s", commits, { most: 4, unit: "" });
  session.close();
  await stop(server);
}
