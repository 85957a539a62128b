import { join } from "node:path";
import { type Session, send } from "../apiserver/apiserver-client.ts";
import { startWherry, stop } from "../apiserver/apiserver-process.ts";
import { verdict } from "../apiserver/apiserver-verdict.ts";
import { median } from "../race-verdict.ts";
import {
  administer,
  allGone,
  createDeployment,
  eventsWritten,
  nodesReady,
  until,
} from "./cluster-client.ts";
import { smallPods, startRawCreates } from "./raw-creates.ts";

const replicas = 1000;
/** The first ones are what a compiler needs to see. */
const warmUps = 2;
/** An odd number: of an even one, the median would be the upper of two. */
const rounds = 7;
/** Of 110 pods each. */
const nodes = 10;

/**
 * How fast pods of a deployment run, to how fast the API server alone creates such pods. The two take
 * turns, so that what else goes on in the machine meets both, and what a round has made is gone before
 * the next.
 */
export async function benchReplicas(work: string): Promise<void> {
  const alone = await startRawCreates(join(work, "raw"), smallPods);
  const data = join(work, "data");
  const server = await startWherry(data, "server", "--nodes", String(nodes));
  const session = administer(server, data);
  await nodesReady(session, nodes);
  const pairs: { readonly running: number; readonly created: number }[] = [];
  for (let round = 0; round < warmUps + rounds; round++) {
    const created = await alone.perSecond();
    const running = await runningPerSecond(session, `web-${round}`);
    pairs.push({ running, created });
    await alone.clear();
    await deleteDeployment(session, `web-${round}`);
    await allGone(session, smallPods.path);
    await eventsWritten(session);
  }
  session.close();
  await stop(server);
  await alone.stop();
  console.log(
    `\n${replicas} replicas, one deployment after the other: pods that run a second, and`,
  );
  console.log("pods that the API server alone creates a second just before");
  for (const { running, created } of pairs)
    console.log(
      `${running.toFixed(0)}\t${created.toFixed(0)}\t${(running / created).toFixed(2)} ×`,
    );
  const ratios = pairs.slice(warmUps).map(({ running, created }) => running / created);
  verdict("pods to running, to creates", median(ratios), { least: 0.3, unit: "×" });
}

async function runningPerSecond(session: Session, name: string): Promise<number> {
  const began = performance.now();
  await createDeployment(session, name, replicas);
  await until(
    session,
    "/apis/apps/v1/namespaces/default/deployments",
    ({ metadata, status }) => metadata.name === name && status?.readyReplicas === replicas,
  );
  return replicas / ((performance.now() - began) / 1000);
}

async function deleteDeployment(session: Session, name: string): Promise<void> {
  const path = `/apis/apps/v1/namespaces/default/deployments/${name}`;
  await send(session, { method: "DELETE", path }, 200);
}
