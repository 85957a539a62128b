import { expect, onTestFinished, test } from "vitest";
import { Node } from "../../api/core/v1/node/node.ts";
import { noLog } from "../../base/log.ts";
import { SimulatedImages } from "../../cri/simulated/simulated-images.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import type { KubeletEvent, KubeletEvents } from "../kubelet-events.ts";
import { createHeartbeats } from "./heartbeats.ts";
import { createNodeAgent } from "./node-agent.ts";
import type { NodeConfig } from "./node-config.ts";
import type { NodeFindings } from "./node-findings.ts";

const config: NodeConfig = {
  name: "n",
  address: "192.0.2.1",
  port: 10250,
  capacity: { cpu: "2", memory: "8Gi", pods: "110", "ephemeral-storage": "100Gi" },
  info: { kubeletVersion: "v1.36.0", operatingSystem: "linux", architecture: "amd64" } as never,
};

/** A registered node with heartbeats, whose findings a test changes. */
async function startAgent(findings: NodeFindings) {
  const cluster = await startCluster({ clock: "virtual" });
  onTestFinished(() => cluster.close());
  const { client, clock } = cluster;
  const recorded: KubeletEvent[] = [];
  const record = (_: unknown, event: KubeletEvent): void => void recorded.push(event);
  const events = { node: record } as unknown as KubeletEvents;
  let found = findings;
  let stored: Node | undefined;
  const images = new SimulatedImages(clock);
  const agent = createNodeAgent({
    config,
    client,
    images,
    events,
    clock,
    log: noLog,
    stored: () => stored,
    findings: async () => found,
  });
  const read = async (): Promise<Node> => {
    stored = await client.get(Node, { name: "n" });
    return stored;
  };
  await agent.register(new AbortController().signal);
  await read();
  const heartbeats = createHeartbeats({ clock, log: noLog });
  heartbeats.add({ nodeName: "n", client, node: () => stored, beat: () => agent.refresh() });
  onTestFinished(() => heartbeats.close());
  await cluster.settled();
  return {
    cluster,
    agent,
    read,
    find: (next: NodeFindings) => {
      found = next;
    },
    reasons: () => recorded.splice(0).map(({ reason }) => reason),
  };
}

const readiness = ({ status }: Node): string | undefined =>
  status.conditions?.find(({ type }) => type === "Ready")?.status;

test("the status follows the findings with the next heartbeat, with an event for each transition", async () => {
  const { cluster, read, find, reasons } = await startAgent({ info: { bootID: "one" } });
  expect(reasons()).toEqual([
    "Starting",
    "NodeHasSufficientMemory",
    "NodeHasNoDiskPressure",
    "NodeHasSufficientPID",
    "NodeReady",
  ]);
  find({
    info: { bootID: "two" },
    pressures: ["MemoryPressure"],
    problems: ["container runtime is down"],
  });
  await cluster.advance("10s");
  expect(reasons()).toEqual(["Rebooted", "NodeHasInsufficientMemory", "NodeNotReady"]);
  const { conditions, nodeInfo } = (await read()).status;
  expect(nodeInfo?.bootID).toBe("two");
  expect(conditions).toMatchObject([
    { type: "MemoryPressure", status: "True", lastTransitionTime: "2026-01-01T00:00:10Z" },
    { type: "DiskPressure", status: "False", lastTransitionTime: "2026-01-01T00:00:00Z" },
    { type: "PIDPressure", status: "False" },
    { type: "Ready", status: "False", message: "container runtime is down" },
  ]);
  find({ info: { bootID: "two" } });
  await cluster.advance("10s");
  expect(reasons()).toEqual(["NodeHasSufficientMemory", "NodeReady"]);
});

test("a node that starts is reported as ready a moment after its runtime is", async () => {
  const { cluster, agent, read, find, reasons } = await startAgent({ problems: ["not yet"] });
  expect(readiness(await read())).toBe("False");
  expect(reasons()).not.toContain("NodeNotReady");
  const stop = new AbortController();
  const waiting = agent.awaitReady(stop.signal);
  await cluster.advance("1s");
  expect(readiness(await read())).toBe("False");
  find({});
  await cluster.advance("100ms");
  await waiting;
  expect(readiness(await read())).toBe("True");
  expect(reasons()).toEqual(["NodeReady"]);
});

test("a kubelet waits two minutes for its node to become ready", async () => {
  const { cluster, agent } = await startAgent({ problems: ["never"] });
  const waiting = agent.awaitReady(new AbortController().signal);
  await cluster.advance("121s");
  await waiting;
});

test("closing a node for scheduling, and opening it, is an event of its kubelet", async () => {
  const { cluster, read, reasons } = await startAgent({});
  reasons();
  for (const unschedulable of [true, false]) {
    await cluster.client.patch(Node, { name: "n" }, { merge: { spec: { unschedulable } } });
    await read();
    await cluster.advance("20s");
  }
  expect(reasons()).toEqual(["NodeNotSchedulable", "NodeSchedulable"]);
});
