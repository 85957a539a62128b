import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { open, send } from "./apiserver-client.ts";
import {
  megabytes,
  processorMs,
  startBare,
  startWherry,
  stop,
  writtenBytes,
} from "./apiserver-process.ts";
import { verdict } from "./apiserver-verdict.ts";

/** Until V8 has tidied up after the start, which it does when nothing else is to do. */
const settlingSeconds = 16;
const watchedSeconds = 10;

/** What a server takes that nobody asks for anything: memory, processor, disk. */
export async function benchIdle(work: string): Promise<void> {
  const data = join(work, "data");
  const pki = join(data, "pki");
  await stop(await startWherry(data));
  const server = await startWherry(data);
  const bare = await startBare("h2", pki);
  // One request each, so that both have done what they do at least once.
  for (const { port } of [server, bare]) {
    const session = open(port, pki);
    await send(session, { method: "GET", path: "/api/v1/namespaces/default" }, 200);
    session.close();
  }
  const [own, reference] = [megabytes(server), megabytes(bare)];
  console.log(`\nidle memory: ${own.toFixed(0)} MB; bare server ${reference.toFixed(0)} MB`);
  verdict("idle memory over the bare server's", own - reference, { most: 60, unit: "MB" });
  await delay(settlingSeconds * 1000);
  const before = { ms: processorMs(server), bytes: writtenBytes(server) };
  await delay(watchedSeconds * 1000);
  const perMinute = 60 / watchedSeconds;
  const ms = (processorMs(server) - before.ms) * perMinute;
  const bytes = (writtenBytes(server) - before.bytes) * perMinute;
  verdict("processor time when idle", ms, { most: 120, unit: "ms per minute" });
  verdict("written when idle", bytes, { most: 0, unit: "bytes per minute" });
  await Promise.all([stop(server), stop(bare)]);
}
