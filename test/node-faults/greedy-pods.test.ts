import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { startRealNode } from "../../src/cluster/node/real-node.test-support.ts";
import { openCgroups } from "../../src/platform/cgroups/host-cgroups.ts";
import { requires, testWith } from "../requires.ts";
import { nodePods, patient } from "./node-pods.test-support.ts";
import { notedLog } from "./noted-log.test-support.ts";

const limits = (amounts: object) => ({ container: { resources: { limits: amounts } } });
const emptyDir = (source: object, amounts?: object) => ({
  spec: { volumes: [{ name: "dir", emptyDir: source }] },
  container: {
    volumeMounts: [{ name: "dir", mountPath: "/dir" }],
    ...(amounts && { resources: { limits: amounts } }),
  },
});
/** Starts a thousand children that stay, or as many as the pod may have. */
const fork =
  "(i=0; while [ $i -lt 1000 ]; do sleep 1000 & i=$((i+1)); done) 2>/dev/null; touch /forked";

testWith(requires("containers"))(
  "greedy pods end by their limits or go on without, and their neighbour and the node do not notice",
  { timeout: 180_000 },
  async () => {
    const log = notedLog();
    const node = await startRealNode({
      log,
      configuration: {
        ...{ podPidsLimit: 64, containerLogMaxSize: "100Ki", containerLogMaxFiles: 3 },
        ...{ containerLogMonitorInterval: "3s", evictionHard: { "memory.available": "1Mi" } },
      },
    });
    const { run, status, phase, container, eventsOf, condition } = nodePods(node);
    await run("neighbour", "true");
    await expect.poll(() => phase("neighbour"), patient).toBe("Running");

    const forking = await run("forks", fork);
    await run("eats", "x=$(head -c 100000000 /dev/zero | tr '\\0' x)", limits({ memory: "24Mi" }));
    const logging = await run(
      "logs",
      "while :; do head -c 1000 /dev/zero | tr '\\0' x; echo; done",
    );
    const line = "while :; do head -c 20000 /dev/zero | tr '\\0' x; echo; sleep 0.05; done";
    await run("logs-beyond", line, limits({ "ephemeral-storage": "20Ki" }));
    await run("fills", "head -c 3000000 /dev/zero > /dir/big", emptyDir({ sizeLimit: "1Mi" }));
    const memory = { medium: "Memory", sizeLimit: "1Mi" };
    const full = "dd if=/dev/zero of=/dir/big bs=1k count=3000 2> /error; cat /error";
    await run("fills-memory", full, emptyDir(memory, { memory: "32Mi" }));

    const cgroups = await openCgroups();
    const pids = async (): Promise<number> => {
      const path = `${node.cgroupRoot}/kubepods/besteffort/pod${forking.metadata.uid}`;
      return (await cgroups.pids(path)).length;
    };
    await expect.poll(pids, patient).toBeGreaterThan(32);
    expect(await pids()).toBeLessThanOrEqual(64);

    const ended = async (name: string) => {
      const { state, lastState } = (await container(name)) ?? {};
      return lastState?.terminated ?? state?.terminated;
    };
    await expect
      .poll(() => ended("eats"), patient)
      .toMatchObject({ reason: "OOMKilled", exitCode: 137 });

    const evicted = async (name: string) => {
      const { phase, reason, message } = await status(name);
      return { phase, reason, message };
    };
    for (const [name, message] of [
      ["fills", 'Usage of EmptyDir volume "dir" exceeds the limit "1Mi". '],
      [
        "logs-beyond",
        "Pod ephemeral local storage usage exceeds the total limit of containers 20Ki. ",
      ],
    ] as const) {
      const end = { phase: "Failed", reason: "Evicted", message };
      await expect.poll(() => evicted(name), patient).toEqual(end);
      expect(await eventsOf(name)).toContain(`Evicted: ${message}`);
    }

    const folder = join(node.disk, "logs", `default_logs_${logging.metadata.uid}`, "c");
    const files = (): readonly string[] => readdirSync(folder);
    await expect.poll(() => files().some((name) => name.endsWith(".gz")), patient).toBe(true);
    // One more while a file is being compressed.
    expect(files().length).toBeLessThanOrEqual(4);
    await expect
      .poll(() => eventsOf("eats"), patient)
      .toContainEqual(
        expect.stringMatching(
          /^BackOff: Back-off restarting failed container c in pod eats_default/,
        ),
      );

    const { runtime } = node.kubelet;
    const [found] = await runtime
      .listContainers({ state: "running" })
      .then((all) =>
        all.filter(({ labels }) => labels["io.kubernetes.pod.name"] === "fills-memory"),
      );
    const shown = await runtime.execSync(found?.id ?? "", ["cat", "/error"], 5);
    expect(Buffer.from(shown.stdout).toString()).toContain("No space left on device");
    expect(await phase("fills-memory")).toBe("Running");

    expect(await container("neighbour")).toMatchObject({ ready: true, restartCount: 0 });
    expect(await condition("Ready")).toContain("True KubeletReady");
    expect(log.lines.filter((line) => line.startsWith("error"))).toEqual([]);
  },
);

testWith(requires("containers"))(
  "without a limit of its own, a pod that forks has what the node allows to all pods",
  { timeout: 90_000 },
  async () => {
    const most = Math.min(
      ...["pid_max", "threads-max"].map((name) =>
        Number(readFileSync(`/proc/sys/kernel/${name}`, "utf8")),
      ),
    );
    const left = 100;
    const node = await startRealNode({
      configuration: {
        systemReserved: { pid: String(most - left) },
        evictionHard: { "memory.available": "1Mi" },
      },
    });
    const { run, phase, container, condition, eventsOf } = nodePods(node);
    await run("neighbour", "true");
    await expect.poll(() => phase("neighbour"), patient).toBe("Running");
    await run("forks", fork);
    const cgroups = await openCgroups();
    const pids = async (): Promise<number> =>
      (await cgroups.pids(`${node.cgroupRoot}/kubepods`)).length;
    await expect.poll(pids, patient).toBeGreaterThan(left / 2);
    expect(await pids()).toBeLessThanOrEqual(left);
    expect(await container("neighbour")).toMatchObject({ ready: true, restartCount: 0 });
    expect(await condition("Ready")).toContain("True KubeletReady");
    expect(await eventsOf(node.nodeName)).toContain(
      "NodeAllocatableEnforced: Updated Node Allocatable limit across pods",
    );
  },
);
