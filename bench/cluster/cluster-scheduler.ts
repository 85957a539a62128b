import { join } from "node:path";
import { follow, pods, type Session, send } from "../apiserver/apiserver-client.ts";
import { processorMs, spawnWherry, startWherry, stop } from "../apiserver/apiserver-process.ts";
import { verdict } from "../apiserver/apiserver-verdict.ts";
import { accountReady, administer, smallTemplate } from "./cluster-client.ts";

const podsPerRun = 3000;

/** Pods a second that the scheduler binds, over HTTP, by the number of nodes. */
export async function benchScheduler(work: string): Promise<void> {
  console.log("");
  for (const nodes of [100, 1000, 5000]) {
    const perSecond = await scheduled(join(work, `${nodes}`), nodes);
    const what = `pods a second on ${nodes} nodes`;
    if (nodes === 1000) verdict(what, perSecond, { least: 1000, unit: "pods/s" });
    else console.log(`${what}: ${perSecond.toFixed(0)}`);
  }
}

async function scheduled(data: string, nodes: number): Promise<number> {
  // Nobody would take away the taint of new nodes.
  const server = await startWherry(
    data,
    "apiserver",
    "--disable-admission-plugins=TaintNodesByCondition",
  );
  const session = administer(server, data);
  await accountReady(session);
  await inTurn(nodes, (i) => createNode(session, i));
  const bound = new Set<string>();
  let first = 0;
  let warm = { at: 0, count: 0 };
  let rest = "";
  let finished = (): void => {};
  const done = new Promise<void>((resolve) => {
    finished = resolve;
  });
  await follow(session, `${pods("default")}?watch=true`, (chunk) => {
    const lines = (rest + chunk.toString()).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [, name] = /"name":"(pod-\d+)"/.exec(line) ?? [];
      if (name && line.includes('"nodeName":"')) bound.add(name);
    }
    if (bound.size > 0) first ||= performance.now();
    // A third of them is what a compiler needs to see.
    if (warm.at === 0 && bound.size >= podsPerRun / 3)
      warm = { at: performance.now(), count: bound.size };
    if (bound.size >= podsPerRun) finished();
  });
  await inTurn(podsPerRun, (i) => createPod(session, i));
  const child = spawnWherry(
    "scheduler",
    ...["--kubeconfig", join(data, "admin.kubeconfig"), "--leader-elect=false"],
    ...["--secure-port", "0", "--kube-api-qps", "100000", "--kube-api-burst", "100000"],
  );
  const before = processorMs(server);
  await done;
  const end = performance.now();
  const perSecond = (podsPerRun - warm.count) / ((end - warm.at) / 1000);
  const all = podsPerRun / ((end - first) / 1000);
  console.log(
    `${nodes} nodes: ${all.toFixed(0)} pods/s from the first, ${perSecond.toFixed(0)} once warm; the API server took ${((processorMs(server) - before) / podsPerRun).toFixed(2)} ms each, the scheduler ${(processorMs({ child, port: 0, startedMs: 0 }) / podsPerRun).toFixed(2)}`,
  );
  child.kill();
  session.close();
  await stop(server);
  return perSecond;
}

async function inTurn(count: number, create: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) await create(next++);
  };
  await Promise.all(Array.from({ length: 32 }, work));
}

function createNode(session: Session, i: number): Promise<unknown> {
  const name = `node-${i}`;
  const capacity = { cpu: "32", memory: "64Gi", pods: "110" };
  const body = {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: { "kubernetes.io/hostname": name, "topology.kubernetes.io/zone": `zone-${i % 3}` },
    },
    status: {
      capacity,
      allocatable: capacity,
      conditions: [{ type: "Ready", status: "True" }],
    },
  };
  return send(session, { method: "POST", path: "/api/v1/nodes", body }, 201);
}

function createPod(session: Session, i: number): Promise<unknown> {
  const metadata = { name: `pod-${i}`, labels: { app: "web" } };
  const body = { apiVersion: "v1", kind: "Pod", ...smallTemplate("web"), metadata };
  return send(session, { method: "POST", path: pods("default"), body }, 201);
}
