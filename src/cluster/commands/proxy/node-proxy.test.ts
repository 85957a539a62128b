import { createServer } from "node:http";
import { expect, onTestFinished } from "vitest";
import { eventually } from "../../../../test/eventually.ts";
import { requires, testWith } from "../../../../test/requires.ts";
import { Node } from "../../../api/core/v1/node/node.ts";
import { Event } from "../../../api/events/v1/event.ts";
import { noLog } from "../../../base/log.ts";
import { MetricsRegistry } from "../../../base/metrics-registry.ts";
import { SeededRandom } from "../../../base/random.ts";
import { createInformers } from "../../../client/informer/informers.ts";
import { openNodeProxy } from "../../../network/proxy/node-proxy.ts";
import { realClock } from "../../../platform/real-clock.ts";
import { addresses, openProxyWorld } from "./proxy-world.test-support.ts";

const minutes = 120_000;

/** Takes a port until the test ends: this one, or else the first free one after it. */
async function takePort(wanted: number): Promise<{ readonly port: number; free(): Promise<void> }> {
  for (let port = wanted; ; port++) {
    const server = createServer();
    const isTaken = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false)).listen(port, () => resolve(true));
    });
    if (!isTaken) continue;
    onTestFinished(() => void server.close());
    return { port, free: () => new Promise((resolve) => server.close(() => resolve())) };
  }
}

/** Among the node ports, which nothing else uses by chance. */
const firstPort = 30_000 + (process.pid % 2000);

testWith(requires("nft", "conntrack"))(
  "openNodeProxy: load balancers learn whether a node can be used, and events tell of ports that are taken",
  async () => {
    const world = await openProxyWorld();
    const { client } = world;
    const health = await takePort(firstPort);
    const status = await takePort(health.port + 1);
    await Promise.all([health.free(), status.free()]);
    const informers = createInformers({ client, clock: realClock, random: new SeededRandom(1) });
    const metrics = new MetricsRegistry();
    const part = await openNodeProxy({
      ...{ nodeName: "node-1", nodeIPs: addresses.node, client, informers, clock: realClock },
      ...{ random: new SeededRandom(1), log: noLog, metrics, kernel: world.kernel },
      healthAddress: `127.0.0.1:${health.port}`,
      statusAddress: `127.0.0.1:${status.port}`,
    });
    onTestFinished(async () => {
      await part.close();
      informers.close();
    });
    const ask = async (path: string, { port } = health) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      return [response.status, await response.text()] as const;
    };
    await eventually(async () => expect((await ask("/healthz"))[0]).toBe(200));
    expect(JSON.parse((await ask("/healthz"))[1])).toMatchObject({
      ...{ healthy: true, nodeEligible: true },
    });
    expect((await ask("/other"))[0]).toBe(404);
    expect(await ask("/proxyMode", status)).toEqual([200, "nftables"]);
    expect((await ask("/metrics", status))[0]).toBe(404);

    // An autoscaler is about to remove the node: it lives, but gets no more traffic.
    const key = { name: "node-1" };
    const taints = [{ key: "ToBeDeletedByClusterAutoscaler", effect: "NoSchedule" }];
    await client.patch(Node, key, { merge: { spec: { taints } } as never });
    await eventually(async () => expect((await ask("/healthz"))[0]).toBe(503));
    expect((await ask("/livez"))[0]).toBe(200);
    expect(metrics.text()).toMatch(/kubeproxy_proxy_healthz_total\{code="503"\} [1-9]/);

    const { port } = await takePort(firstPort + 1);
    await world.service("web", {
      spec: {
        ...{ type: "LoadBalancer", externalTrafficPolicy: "Local", healthCheckNodePort: port },
      },
    });
    await eventually(async () =>
      expect((await client.list(Event, { namespace: "default" })).items).toMatchObject([
        {
          ...{ type: "Warning", reason: "FailedToStartServiceHealthcheck", action: "Listen" },
          regarding: { apiVersion: "v1", kind: "Service", namespace: "default", name: "web" },
          note: expect.stringMatching(
            `^node node-1 failed to start healthcheck "default/web" on port ${port}: listen EADDRINUSE`,
          ),
          reportingController: "kube-proxy",
        },
      ]),
    );
  },
  minutes,
);
