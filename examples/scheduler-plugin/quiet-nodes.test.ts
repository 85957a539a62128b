import { afterEach, beforeEach, expect, test } from "vitest";
import { Node, Pod } from "wherry/api";
import { createManager } from "wherry/controller";
import { createScheduler } from "wherry/scheduler";
import { type Cluster, startCluster } from "wherry/testing";
import { annotation, quietNodes } from "./quiet-nodes.ts";

let cluster: Cluster;
let stop: AbortController;
let running: Promise<void>;

beforeEach(async () => {
  cluster = await startCluster({ clock: "virtual", namespace: "default" });
  stop = new AbortController();
  const scheduler = createScheduler({
    plugins: { QuietNodes: quietNodes },
    configuration: {
      profiles: [
        {
          plugins: { multiPoint: { enabled: [{ name: "QuietNodes", weight: 5 }] } },
          pluginConfig: [{ name: "QuietNodes", args: { reason: "shh" } }],
        },
      ],
    },
  });
  running = createManager({ ...cluster, runnables: [scheduler] }).run({ signal: stop.signal });
  await cluster.settled();
});
afterEach(async () => {
  stop.abort();
  await cluster.advance("1s");
  await running;
  await cluster.close();
});

const add = async (name: string, annotations: Record<string, string> = {}): Promise<void> => {
  const { client } = cluster;
  await client.create(Node, { metadata: { name, annotations } });
  await client.patch(Node, { name }, { merge: { spec: { taints: null } } });
  const status = { allocatable: { cpu: "4", memory: "8Gi", pods: "110" } };
  await client.patch(Node, { name }, { merge: { status } }, { subresource: "status" });
};
const run = (name: string, annotations: Record<string, string> = {}): Promise<Pod> =>
  cluster.client.create(Pod, {
    metadata: { name, annotations },
    spec: { containers: [{ name: "main", image: "nginx" }] },
  });

test("only quiet pods are scheduled to quiet nodes", async () => {
  await add("loud");
  await add("quiet", { [annotation]: "22-6" });
  await Promise.all([run("a"), run("b"), run("c")]);
  await cluster.settled();
  const { items } = await cluster.client.list(Pod);
  expect(items.map(({ spec }) => spec.nodeName)).toEqual(["loud", "loud", "loud"]);
  await run("mouse", { [annotation]: "any" });
  await cluster.settled();
  const mouse = await cluster.client.get(Pod, { name: "mouse" });
  expect(mouse.spec.nodeName).toBe("quiet");
});

test("an unschedulable pod has the reason in its status, and is scheduled when the annotation is removed", async () => {
  await add("quiet", { [annotation]: "22-6" });
  await run("a");
  await cluster.settled();
  const waiting = await cluster.client.get(Pod, { name: "a" });
  expect(waiting.status.conditions?.[0]?.message).toContain("0/1 nodes are available: 1 shh.");
  const merge = { metadata: { annotations: { [annotation]: null } } };
  await cluster.client.patch(Node, { name: "quiet" }, { merge });
  await cluster.advance("2s");
  expect((await cluster.client.get(Pod, { name: "a" })).spec.nodeName).toBe("quiet");
});
