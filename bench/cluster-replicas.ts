import { join } from "node:path";
import { pods, send } from "./apiserver-client.ts";
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
import { measure } from "./store-measure.ts";

const replicas = 1000;

/** How fast pods of a deployment run, to how fast the API server alone creates such pods. */
export async function benchReplicas(work: string): Promise<void> {
  const raw = await rawRate(join(work, "raw"));
  const data = join(work, "data");
  const server = await startWherry(data, "server", "--nodes", "20");
  const session = administer(server, data);
  await nodesReady(session, 20);
  const rates: number[] = [];
  // The first is what a compiler needs to see.
  for (const name of ["first", "second"]) {
    const began = performance.now();
    await createDeployment(session, name, replicas);
    await until(
      session,
      "/apis/apps/v1/namespaces/default/deployments",
      ({ metadata, status }) => metadata.name === name && status?.readyReplicas === replicas,
    );
    rates.push(replicas / ((performance.now() - began) / 1000));
  }
  session.close();
  await stop(server);
  const [first = 0, second = 0] = rates;
  console.log(
    `\n${replicas} replicas: ${first.toFixed(0)} running pods/s at first, ${second.toFixed(0)} then; the API server alone creates ${raw.toFixed(0)}/s`,
  );
  verdict("pods to running, to creates", second / raw, { least: 0.3, unit: "×" });
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
