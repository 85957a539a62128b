import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { expect, onTestFinished } from "vitest";
import type { NodeRuntime } from "../../src/cluster/node/node-runtime.ts";
import { openRealNode, type RealNode } from "../../src/cluster/node/real-node.test-support.ts";
import { connectRuntime } from "../../src/cri/containerd/connect-runtime.ts";
import { testImage } from "../../src/engine/engine.test-support.ts";
import { busyboxImage, dockerArchive } from "../../src/engine/images/oci-image.test-support.ts";
import { containerdImage, startContainerd } from "../cri/containerd.test-support.ts";
import { requires, testWith } from "../requires.ts";
import { runWherry, startWherry } from "../support/wherry-process.test-support.ts";
import { type MovableClock, movableClock } from "./movable-clock.test-support.ts";
import { nodePods, patient } from "./node-pods.test-support.ts";

/** A runtime in a process of its own, which can be killed and started again. */
interface OtherRuntime {
  readonly runtime: NodeRuntime;
  readonly image: string;
  kill(): Promise<unknown>;
  start(): Promise<unknown>;
}

/** Its pods are removed by the runtime, which therefore must run at the end. */
async function survives(other: OtherRuntime): Promise<void> {
  let isDown = false;
  const clock = movableClock();
  const node = await openRealNode({ runtime: other.runtime, clock });
  try {
    await loseRuntime(node, clock, {
      ...other,
      async kill() {
        isDown = true;
        await other.kill();
      },
      async start() {
        await other.start();
        isDown = false;
      },
    });
  } finally {
    if (isDown) await other.start();
    await node.close();
  }
}

async function loseRuntime(
  node: RealNode,
  clock: MovableClock,
  { runtime, image, kill, start }: OtherRuntime,
): Promise<void> {
  const { run, phase, container, condition, eventsOf } = nodePods(node);
  const inHostNetwork = (more: object = {}) => ({
    spec: { hostNetwork: true },
    container: { image, ...more },
  });
  await run("kept", "true", inHostNetwork());
  await run("ends", "sleep 5; exit 3", inHostNetwork());
  await expect.poll(() => phase("kept"), patient).toBe("Running");
  await expect.poll(() => phase("ends"), patient).toBe("Running");
  const before = await container("kept");

  await kill();
  await run("waits", "true", inHostNetwork());
  await expect
    .poll(() => {
      clock.advance(10_000);
      return condition("Ready");
    }, patient)
    .toMatch(/^False KubeletNotReady: .*container runtime is down/);
  expect(await phase("kept")).toBe("Running");
  expect(await eventsOf(node.nodeName)).toContain(
    `NodeNotReady: Node ${node.nodeName} status is now: NodeNotReady`,
  );

  await start();
  await expect
    .poll(() => {
      clock.advance(1000);
      return condition("Ready");
    }, patient)
    .toBe("True KubeletReady: kubelet is posting ready status");
  await expect
    .poll(() => {
      clock.advance(1000);
      return phase("waits");
    }, patient)
    .toBe("Running");
  await expect
    .poll(async () => (await container("ends"))?.lastState?.terminated?.exitCode, patient)
    .toBe(3);
  expect(await container("kept")).toEqual(before);
  const names = (await runtime.runtime.listContainers()).map(
    ({ labels }) => labels["io.kubernetes.pod.name"],
  );
  expect(names.filter((name) => name !== "ends").sort()).toEqual(["kept", "waits"]);
  const sandboxes = await runtime.runtime.listPodSandboxes();
  expect(sandboxes.map(({ metadata }) => metadata.name).sort()).toEqual(["ends", "kept", "waits"]);
}

testWith(requires("containerd", "cniPlugins"))(
  "containerd is killed and started again: the node is not ready meanwhile, and its pods run on",
  { timeout: 180_000 },
  async () => {
    const containerd = await startContainerd();
    onTestFinished(() => containerd.close());
    const { runtime, images } = containerd.connection;
    await survives({
      runtime: { runtime, images, close: async () => {} },
      image: containerdImage,
      ...{ kill: containerd.kill, start: containerd.start },
    });
  },
);

testWith(requires("containers"))(
  "wherry engine is killed and started again: the node is not ready meanwhile, and its pods run on",
  { timeout: 180_000 },
  async () => {
    const root = mkdtempSync(join(tmpdir(), "wherry-lost-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const endpoint = `unix://${root}/cri.sock`;
    const open = async () => {
      const engine = startWherry([
        ...["engine", "--data-dir", `${root}/data`, "--run-dir", `${root}/run`],
        ...["--network", "none", "--listen", endpoint],
      ]);
      await engine.until(/ready/);
      return engine;
    };
    let engine = await open();
    const input = await buffer(dockerArchive(busyboxImage(), testImage));
    const load = ["image", "load", "--data-dir", `${root}/data`];
    expect((await runWherry(load, { input })).code).toBe(0);
    const connection = connectRuntime({ endpoint });
    onTestFinished(() => connection.close());
    await survives({
      runtime: { ...connection, close: async () => {} },
      image: testImage,
      kill: () => engine.end("SIGKILL"),
      async start() {
        engine = await open();
      },
    });
  },
);
