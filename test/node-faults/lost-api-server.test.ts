import { expect } from "vitest";
import { Pod } from "../../src/api/core/v1/pod/pod.ts";
import { startRealNode } from "../../src/cluster/node/real-node.test-support.ts";
import { requires, testWith } from "../requires.ts";
import { movableClock } from "./movable-clock.test-support.ts";
import { nodePods, patient } from "./node-pods.test-support.ts";

testWith(requires("containers"))(
  "a node without its API server runs its pods, probes and restarts them, and tells of it later",
  { timeout: 120_000 },
  async () => {
    const clock = movableClock();
    const node = await startRealNode({ clock });
    const { run, phase, container, condition, eventsOf } = nodePods(node);
    await run("kept", "true");
    await run("restarts", "touch /healthy", {
      container: {
        livenessProbe: {
          ...{ exec: { command: ["test", "-e", "/healthy"] } },
          ...{ periodSeconds: 1, failureThreshold: 1, initialDelaySeconds: 3 },
        },
      },
    });
    await run("turns", "touch /ready", {
      container: {
        readinessProbe: {
          ...{ exec: { command: ["test", "-e", "/ready"] } },
          ...{ periodSeconds: 1, failureThreshold: 1 },
        },
      },
    });
    const limited = { activeDeadlineSeconds: 1800 };
    await run("limited", "true", { spec: limited });
    for (const name of ["kept", "restarts", "limited"])
      await expect.poll(() => phase(name), patient).toBe("Running");
    await expect.poll(async () => (await container("turns"))?.ready, patient).toBe(true);
    const before = await container("kept");

    const { runtime } = node.kubelet;
    const containersOf = async (name: string) =>
      (await runtime.listContainers()).filter(
        ({ labels }) => labels["io.kubernetes.pod.name"] === name,
      );
    const exec = async (name: string, ...command: string[]): Promise<void> => {
      const [running] = (await containersOf(name)).filter(({ state }) => state === "running");
      await runtime.execSync(running?.id ?? "", command, 5);
    };
    await node.stopServer();
    await exec("restarts", "rm", "/healthy");
    await exec("turns", "rm", "/ready");
    await expect
      .poll(async () => {
        clock.advance(1000);
        return (await containersOf("restarts")).map(({ state }) => state).sort();
      }, patient)
      .toEqual(["exited", "running"]);
    // Longer than any lease, and than controllers tolerate.
    for (let minutes = 0; minutes < 40; minutes++) clock.advance(60_000);
    await expect
      .poll(async () => {
        clock.advance(1000);
        return (await containersOf("limited")).every(({ state }) => state === "exited");
      }, patient)
      .toBe(true);
    for (const name of ["kept", "turns"])
      expect((await containersOf(name)).map(({ state }) => state)).toEqual(["running"]);

    await node.startServer();
    await expect
      .poll(async () => {
        clock.advance(1000);
        return (await container("restarts").catch(() => undefined))?.restartCount;
      }, patient)
      .toBeGreaterThanOrEqual(1);
    await expect.poll(async () => (await container("turns"))?.ready, patient).toBe(false);
    await expect.poll(() => phase("limited"), patient).toBe("Failed");
    await expect
      .poll(() => {
        clock.advance(1000);
        return condition("Ready");
      }, patient)
      .toBe("True KubeletReady: kubelet is posting ready status");
    expect(await container("kept")).toEqual(before);
    expect((await node.pod("limited")).status.reason).toBe("DeadlineExceeded");
    await expect
      .poll(async () => {
        clock.advance(10_000);
        return (await eventsOf("restarts")).join("\n");
      }, patient)
      .toContain("Unhealthy: Liveness probe failed");
    await node.client.delete(Pod, { name: "kept", namespace: "default" });
    await expect
      .poll(async () => {
        clock.advance(1000);
        return (await containersOf("kept")).length;
      }, patient)
      .toBe(0);
  },
);
