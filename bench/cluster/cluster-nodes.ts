import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  megabytes,
  processorMs,
  type Server,
  startWherry,
  stop,
} from "../apiserver/apiserver-process.ts";
import { verdict } from "../apiserver/apiserver-verdict.ts";
import { administer, createDeployment, nodesReady, until } from "./cluster-client.ts";

const nodes = 1000;
const deployments = 30;
const replicas = 1000;

/** A thousand simulated nodes with thirty thousand pods, in one process. */
export async function benchManyNodes(work: string): Promise<void> {
  const data = join(work, "data");
  const server = await startWherry(data, "server", "--nodes", String(nodes));
  const session = administer(server, data);
  const began = performance.now();
  await nodesReady(session, nodes);
  console.log(
    `\n${nodes} nodes are ready after ${seconds(began)} s, ${megabytes(server).toFixed(0)} MB`,
  );
  const since = performance.now();
  const running = new Set<string>();
  for (let i = 0; i < deployments; i++) await createDeployment(session, `web-${i}`, replicas);
  await until(session, "/apis/apps/v1/namespaces/default/deployments", ({ metadata, status }) => {
    if (status?.readyReplicas === replicas) running.add(metadata.name);
    return running.size === deployments;
  });
  const count = deployments * replicas;
  const took = (performance.now() - since) / 1000;
  console.log(
    `${count} pods run after ${took.toFixed(0)} s, ${(count / took).toFixed(0)} a second, ${megabytes(server).toFixed(0)} MB`,
  );
  verdict("pods that run", running.size * replicas, { least: count, unit: "pods" });
  const ran = performance.now();
  // What is told of so many pods takes its time.
  while ((await shareOf(server, 5000)) > 50 && performance.now() - ran < 180_000);
  const quiet = ((performance.now() - ran) / 1000).toFixed(0);
  const share = await shareOf(server, 20_000);
  console.log(
    `${quiet} s later all is told; then it takes ${share.toFixed(1)} % of a processor, ${megabytes(server).toFixed(0)} MB`,
  );
  session.close();
  await stop(server);
}

/** What a server takes of a processor in the next so many milliseconds, in percent. */
async function shareOf(server: Server, ms: number): Promise<number> {
  const before = processorMs(server);
  await delay(ms);
  return ((processorMs(server) - before) / ms) * 100;
}

const seconds = (since: number): string => ((performance.now() - since) / 1000).toFixed(1);
