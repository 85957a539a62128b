import { Node } from "../../api/core/v1/node/node.ts";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import { SeededRandom } from "../../base/random.ts";
import { ignoreNotFound } from "../../client/ignore-not-found.ts";
import { createInformers } from "../../client/informer/informers.ts";
import { streamLog } from "../../platform/create-log.ts";
import { realClock as clock } from "../../platform/real-clock.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import { serveCalls } from "../pods/serve-calls.test-support.ts";
import { openRoutes } from "./open-routes.ts";
import type { TestNode } from "./test-node.test-support.ts";

// A program that stands for the agent of a node in another network namespace, with an API server of its own.
const { nodeName } = JSON.parse(process.argv[2] ?? "{}") as { nodeName: string };
const { client } = await startCluster();
const random = new SeededRandom(1);
const informers = createInformers({ client, clock, random });
const log = streamLog(process.stderr, { clock, level: "error" });

async function write({ name, podCIDRs, addresses, annotations }: TestNode): Promise<void> {
  const key = { name };
  if (!(await ignoreNotFound(client.get(Node, key))))
    await client.create(Node, { metadata: { name }, spec: { podCIDR: podCIDRs[0], podCIDRs } });
  if (annotations) await client.patch(Node, key, { merge: { metadata: { annotations } } });
  const status = { addresses: addresses.map((address) => ({ type: "InternalIP", address })) };
  await client.patch(Node, key, { merge: { status } } as never, { subresource: "status" });
}

await serveCalls({
  write,
  remove: (name: string) => client.delete(Node, { name }),
  read: (name: string) => client.get(Node, { name }),
  async open() {
    const environment = { nodeName, nodeIPs: [], client, informers, clock, random, log };
    await openRoutes({ ...environment, metrics: new MetricsRegistry() });
  },
});
