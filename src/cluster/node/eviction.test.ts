import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { noLog } from "../../base/log.ts";
import { testImage } from "../../engine/engine.test-support.ts";
import { openEviction } from "../../kubelet/host/eviction/open-eviction.ts";
import { openShutdown } from "../../kubelet/host/shutdown/open-shutdown.ts";
import { openCgroups } from "../../platform/cgroups/host-cgroups.ts";
import { realClock } from "../../platform/real-clock.ts";
import { startRealNode } from "./real-node.test-support.ts";

testWith(requires("containers"))(
  "a pod that exceeds its limit of local storage is evicted, and the others end with the node",
  { timeout: 90_000 },
  async () => {
    const cluster = await startRealNode();
    const { client, kubelet, root } = cluster;
    const run = (name: string, script: string, limits: object) =>
      client.create(Pod, {
        metadata: { name, namespace: "default" },
        spec: {
          automountServiceAccountToken: false,
          containers: [
            {
              name: "c",
              image: testImage,
              imagePullPolicy: "Never",
              command: ["sh", "-c", `trap 'exit 1' TERM; ${script}; while :; do sleep 0.1; done`],
              resources: { limits },
              readinessProbe: { exec: { command: ["test", "-e", "/big"] }, periodSeconds: 1 },
            },
          ],
        },
      } as never);
    const limits = { "ephemeral-storage": "1Mi" };
    await run("greedy", "head -c 3000000 /dev/zero > /tmp/big; mv /tmp/big /big", limits);
    await run("modest", "touch /big", limits);
    const isReady = async (name: string): Promise<boolean> =>
      (await cluster.pod(name)).status.containerStatuses?.[0]?.ready ?? false;
    await expect.poll(() => isReady("greedy"), { timeout: 30_000 }).toBe(true);
    await expect.poll(() => isReady("modest"), { timeout: 30_000 }).toBe(true);

    const rootDir = join(root, "kubelet");
    const usage = { at: 0, mountpoint: root, usedBytes: 0, inodesUsed: 0 };
    const eviction = openEviction({
      runtime: kubelet.runtime,
      images: { imageFsInfo: async () => ({ images: [usage], containers: [usage] }) },
      cgroups: await openCgroups(),
      ...{ rootDir, podLogsDir: join(root, "logs"), clock: realClock, log: noLog },
      ...{ transitionMs: 300_000, maxPodGraceSeconds: 0 },
      evictionHard: { "memory.available": "1Mi" },
    });
    onTestFinished(() => eviction.close());
    eviction.start(kubelet);
    const phase = async (name: string) => (await cluster.pod(name)).status.phase;
    await expect.poll(() => phase("greedy"), { timeout: 20_000 }).toBe("Failed");
    expect((await cluster.pod("greedy")).status).toMatchObject({
      reason: "Evicted",
      message: "Pod ephemeral local storage usage exceeds the total limit of containers 1Mi. ",
    });
    expect(await phase("modest")).toBe("Running");
    expect(eviction.pressures()).toEqual([]);

    const shutdown = await openShutdown({
      ...{ graceSeconds: 20, criticalPodsSeconds: 10, rootDir, clock: realClock, log: noLog },
    });
    await shutdown.shutDown(kubelet);
    await expect.poll(() => phase("modest"), { timeout: 20_000 }).toBe("Failed");
    const { status } = await cluster.pod("modest");
    expect(status).toMatchObject({
      reason: "Terminated",
      message: "Pod was terminated in response to imminent node shutdown.",
      containerStatuses: [{ state: { terminated: { exitCode: 1 } } }],
    });
    expect(status.conditions?.map(({ type }) => type)).toContain("DisruptionTarget");
  },
);
