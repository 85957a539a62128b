import { expect, onTestFinished, test } from "vitest";
import { Node } from "../api/core/v1/node/node.ts";
import { Pod } from "../api/core/v1/pod/pod.ts";
import { noLog } from "../base/log.ts";
import { createInformers } from "../client/informer/informers.ts";
import { SimulatedImages } from "../cri/simulated/simulated-images.ts";
import { SimulatedRuntime } from "../cri/simulated/simulated-runtime.ts";
import { startCluster } from "../testing/start-cluster.ts";
import { createKubelet } from "./kubelet.ts";
import { createEventMemory } from "./kubelet-events.ts";
import { createHeartbeats } from "./node/heartbeats.ts";
import type { Rejection } from "./pod/admit-pod.ts";
import { referenceReader } from "./pod/reference-reader.ts";
import type { ResourceAllocator } from "./pod/resource-allocator.ts";
import { sharePods } from "./pod-source.ts";
import { simulatedHooks } from "./simulated/simulated-hooks.ts";
import { simulatedNodeConfigs } from "./simulated/simulated-node-config.ts";
import { simulatedPodHost } from "./simulated/simulated-pod-host.ts";
import { simulatedProber } from "./simulated/simulated-prober.ts";

/** Resources whose allocation ends when a test says so. */
function heldResources() {
  const waiting = new Map<string, (rejection?: Rejection) => void>();
  const released: string[] = [];
  const allocator: ResourceAllocator = {
    admit: ({ metadata: { name = "" } }) =>
      name === "plain" ? undefined : new Promise((resolve) => waiting.set(name, resolve)),
    offered: (node) => node,
    refuseResize: () => undefined,
    async release(podUid) {
      released.push(podUid);
    },
  };
  const finish = (name: string, rejection?: Rejection): void => waiting.get(name)?.(rejection);
  return { allocator, finish, released };
}

async function kubeletWith(resources: ResourceAllocator) {
  const cluster = await startCluster({ clock: "virtual", namespace: "default" });
  const { client, clock, random } = cluster;
  const log = noLog;
  const informers = createInformers({ client, clock, random, log });
  const [pods, nodes] = [informers.of(Pod), informers.of(Node)];
  await Promise.all([pods.synced(), nodes.synced()]);
  const [config] = simulatedNodeConfigs({ nodes: 1 });
  if (!config) throw new Error("no node");
  const runtime = new SimulatedRuntime({ clock, random, podCidr: "10.244.0.0/24" });
  const references = referenceReader(client);
  const heartbeats = createHeartbeats({ clock, log });
  const begin = async () => {
    const shared = sharePods(pods);
    onTestFinished(() => shared.close());
    const kubelet = await createKubelet({
      ...{ config, client, references, runtime, heartbeats, clock, log, resources },
      ...{ pods: shared.of(config.name), node: () => nodes.get({ name: config.name }) },
      ...{ host: simulatedPodHost(references), images: new SimulatedImages(clock) },
      ...{ prober: simulatedProber(runtime, clock), hooks: simulatedHooks(runtime, clock) },
      eventMemory: createEventMemory(clock, random),
    });
    await kubelet.start(new AbortController().signal);
    await cluster.settled();
    return kubelet;
  };
  let kubelet = await begin();
  onTestFinished(async () => {
    await kubelet.stop();
    heartbeats.close();
    runtime.close();
    informers.close();
    await cluster.close();
  });
  return {
    ...cluster,
    async restart() {
      await kubelet.stop();
      kubelet = await begin();
    },
    async run(name: string) {
      const containers = [{ name: "c", image: "nginx" }];
      const spec = { nodeName: config.name, containers };
      const created = await client.create(Pod, { metadata: { name }, spec } as never);
      await cluster.settled();
      return created.metadata.uid ?? "";
    },
    pod: (name: string) => client.get(Pod, { name }),
  };
}

const refusal = { reason: "UnexpectedAdmissionError", message: "Allocate failed due to x" };

test("a pod starts when its resources are allocated; others do not wait for it", async () => {
  const { allocator, finish } = heldResources();
  const { run, pod, settled, advance } = await kubeletWith(allocator);
  await run("held");
  await run("plain");
  await advance("5s");
  expect((await pod("held")).status.phase).toBe("Pending");
  expect((await pod("plain")).status.phase).toBe("Running");
  finish("held");
  await settled();
  await advance("5s");
  expect((await pod("held")).status.phase).toBe("Running");
});

test("a pod without its resources has failed, and what it has is freed", async () => {
  const { allocator, finish, released } = heldResources();
  const { run, pod, settled } = await kubeletWith(allocator);
  const uid = await run("held");
  finish("held", refusal);
  await settled();
  expect((await pod("held")).status).toMatchObject({
    ...{ phase: "Failed", reason: refusal.reason },
    message: "Pod was rejected: Allocate failed due to x",
  });
  expect(released).toEqual([uid]);
});

test("a pod that is deleted while it waits does not start", async () => {
  const { allocator, finish, released } = heldResources();
  const { run, client, settled, advance } = await kubeletWith(allocator);
  const uid = await run("held");
  await client.delete(Pod, { name: "held" }, { gracePeriodSeconds: 0 });
  await settled();
  finish("held");
  await settled();
  await advance("5s");
  expect((await client.list(Pod)).items).toEqual([]);
  expect(released).toEqual([uid]);
});

test("a pod of before that cannot have its resources any more ends", async () => {
  const { allocator, finish } = heldResources();
  const { run, pod, settled, advance, restart } = await kubeletWith(allocator);
  await run("held");
  finish("held");
  await settled();
  await advance("5s");
  expect((await pod("held")).status.phase).toBe("Running");
  await restart();
  finish("held", refusal);
  await settled();
  await advance("40s");
  const { status } = await pod("held");
  expect(status).toMatchObject({ phase: "Failed", reason: refusal.reason });
  expect(status.message).toBe("Pod was rejected: Allocate failed due to x");
});
