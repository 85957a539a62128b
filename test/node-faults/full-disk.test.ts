import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { startRealNode } from "../../src/cluster/node/real-node.test-support.ts";
import { requires, testWith } from "../requires.ts";
import { nodePods, patient } from "./node-pods.test-support.ts";
import { notedLog } from "./noted-log.test-support.ts";

const freeBytes = (path: string): number => {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
};

testWith(requires("containers"))(
  "a node whose disk a pod fills reports pressure, evicts that pod, and recovers",
  { timeout: 180_000 },
  async () => {
    const log = notedLog();
    const node = await startRealNode({
      log,
      diskBytes: 64 << 20,
      configuration: {
        evictionHard: { "nodefs.available": "10%" },
        evictionPressureTransitionPeriod: "10s",
      },
    });
    const { run, status, phase, container, eventsOf, condition } = nodePods(node);
    const mounted = {
      spec: { volumes: [{ name: "dir", emptyDir: {} }] },
      container: { volumeMounts: [{ name: "dir", mountPath: "/dir" }] },
    };
    await run("neighbour", "echo small > /dir/some", mounted);
    await expect.poll(() => phase("neighbour"), patient).toBe("Running");
    await run("fills", "head -c 100000000 /dev/zero > /big");
    await expect.poll(() => freeBytes(node.disk), patient).toBe(0);
    await expect.poll(() => phase("fills"), patient).toBe("Failed");
    const { reason, message, conditions } = await status("fills");
    expect(reason).toBe("Evicted");
    expect(message).toMatch(
      /^The node was low on resource: ephemeral-storage\. Threshold quantity: \d+, available: 0\. Container c was using \d+Ki, request is 0, has larger consumption of ephemeral-storage\. $/,
    );
    expect(conditions).toContainEqual(
      expect.objectContaining({ type: "DisruptionTarget", reason: "TerminationByKubelet" }),
    );
    await expect
      .poll(() => condition("DiskPressure"), patient)
      .toBe("True KubeletHasDiskPressure: kubelet has disk pressure");
    // The scheduler would wait: the node is tainted.
    await run("late", "true", { spec: { nodeName: node.nodeName } });
    await expect.poll(() => phase("late"), patient).toBe("Failed");
    expect(await status("late")).toMatchObject({
      reason: "Evicted",
      message: "Pod was rejected: The node had condition: [DiskPressure]. ",
    });
    await expect
      .poll(() => condition("DiskPressure"), patient)
      .toBe("False KubeletHasNoDiskPressure: kubelet has no disk pressure");
    await run("later", "true");
    await expect.poll(() => phase("later"), patient).toBe("Running");
    expect(await container("neighbour")).toMatchObject({ ready: true, restartCount: 0 });
    expect(await eventsOf("fills")).toContain(`Evicted: ${message}`);
    const said = (await eventsOf(node.nodeName)).join("\n");
    for (const line of [
      "EvictionThresholdMet: Attempting to reclaim ephemeral-storage",
      "NodeHasDiskPressure: Node node-1 status is now: NodeHasDiskPressure",
      "NodeHasNoDiskPressure: Node node-1 status is now: NodeHasNoDiskPressure",
    ])
      expect(said).toContain(line);
  },
);

testWith(requires("containers"))(
  "an agent that cannot write a byte says so, keeps its pods, starts again, and goes on when there is room",
  { timeout: 180_000 },
  async () => {
    const log = notedLog();
    const node = await startRealNode({
      log,
      diskBytes: 64 << 20,
      configuration: { evictionHard: { "memory.available": "1Mi" } },
    });
    const { run, phase, container, eventsOf, condition } = nodePods(node);
    const resources = { requests: { cpu: "10m" } };
    await run("kept", "while :; do echo line; sleep 0.1; done", { container: { resources } });
    await run("ends", "sleep 1; exit 0", { spec: { restartPolicy: "Always" } });
    await expect.poll(() => phase("kept"), patient).toBe("Running");
    await expect.poll(() => phase("ends"), patient).toBe("Running");
    const ballast = join(node.disk, "ballast");
    expect(() => writeFileSync(ballast, Buffer.alloc(64 << 20))).toThrow("ENOSPC");
    expect(freeBytes(node.disk)).toBe(0);

    await run("new", "true");
    const said = async (name: string): Promise<string> => (await eventsOf(name)).join("\n");
    await expect.poll(() => said("new"), patient).toMatch(/Failed.*no space left on device/i);
    const before = await container("kept");
    await node.restartNode();
    expect(await container("kept")).toEqual(before);
    await expect.poll(() => condition("Ready"), patient).toContain("True KubeletReady");

    rmSync(ballast);
    await expect.poll(() => phase("new"), patient).toBe("Running");
    expect(await container("kept")).toMatchObject({ ready: true, restartCount: 0 });
    expect(log.lines.join("\n")).toContain("ENOSPC");
  },
);
