import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pods, type Session, send } from "./apiserver-client.ts";
import { startWherry, stop } from "./apiserver-process.ts";
import { verdict } from "./apiserver-verdict.ts";
import {
  accountReady,
  administer,
  createDeployment,
  nodesReady,
  smallTemplate,
  until,
} from "./cluster-client.ts";
import { median } from "./race-verdict.ts";
import { measure } from "./store-measure.ts";

const replicas = 1000;
const nodes = 60;
/** The first ones are what a compiler needs to see: about as long as the API server alone has. */
const warmUps = 3;
const rounds = 3;

/** How fast pods of a deployment run, to how fast the API server alone creates such pods. */
export async function benchReplicas(work: string): Promise<void> {
  const raw = await rawRate(join(work, "raw"));
  const data = join(work, "data");
  const server = await startWherry(data, "server", "--nodes", String(nodes));
  const session = administer(server, data);
  await nodesReady(session, nodes);
  const rates: number[] = [];
  for (let round = 0; round < warmUps + rounds; round++) {
    const name = `web-${round}`;
    const began = performance.now();
    await createDeployment(session, name, replicas);
    await until(
      session,
      "/apis/apps/v1/namespaces/default/deployments",
      ({ metadata, status }) => metadata.name === name && status?.readyReplicas === replicas,
    );
    rates.push(replicas / ((performance.now() - began) / 1000));
    await allTold(session);
  }
  session.close();
  await stop(server);
  const told = rates.map((rate) => rate.toFixed(0)).join(", ");
  console.log(
    `\n${replicas} replicas, one deployment after the other: ${told} running pods/s; the API server alone creates ${raw.toFixed(0)}/s`,
  );
  const warm = median(rates.slice(warmUps));
  verdict("pods to running, to creates", warm / raw, { least: 0.3, unit: "×" });
}

/** Resolves when what is told of the pods is written: each deployment begins when nothing else goes on. */
async function allTold(session: Session): Promise<void> {
  const path = "/api/v1/namespaces/default/events?limit=1";
  for (let before = -1; ; await delay(1000)) {
    const body = await send(session, { method: "GET", path }, 200);
    const { metadata } = JSON.parse(body.toString()) as {
      readonly metadata: { readonly remainingItemCount?: number };
    };
    const events = metadata.remainingItemCount ?? 0;
    if (events === before) return;
    before = events;
  }
}

/** Pods a second that the API server alone creates, 32 in flight. */
async function rawRate(data: string): Promise<number> {
  const server = await startWherry(data);
  const session = administer(server, data);
  await accountReady(session);
  let count = 0;
  const create = (): Promise<unknown> => {
    const metadata = { name: `raw-${count++}`, labels: { app: "raw" } };
    const body = { apiVersion: "v1", kind: "Pod", ...smallTemplate("raw"), metadata };
    return send(session, { method: "POST", path: pods("default"), body }, 201);
  };
  await measure({ workers: 32, seconds: 3 }, create);
  const { perSecond } = await measure({ workers: 32, seconds: 3 }, create);
  session.close();
  await stop(server);
  return perSecond;
}
