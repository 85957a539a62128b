import { expect, test } from "vitest";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { clusterWithNodes } from "../nodes.test-support.ts";
import { follow, seen } from "./pod-life.test-support.ts";

test("a pod that exceeds its active deadline fails", async () => {
  const cluster = await clusterWithNodes();
  await cluster.run({ name: "web", spec: { activeDeadlineSeconds: 30 } });
  await cluster.advance("29s");
  expect((await seen(cluster, "web")).phase).toBe("Running");
  await cluster.advance("1s");
  expect((await cluster.pod("web")).status).toMatchObject({
    phase: "Failed",
    reason: "DeadlineExceeded",
    message: "Pod was active on the node longer than the specified deadline",
    containerStatuses: [{ state: { terminated: { exitCode: 0 } } }],
  });
  expect(await cluster.eventsOf("web")).toContain(
    "DeadlineExceeded: Pod was active on the node longer than the specified deadline",
  );
  await cluster.end();
});

test("hooks: postStart can fail a start, and preStop uses the grace period", async () => {
  const cluster = await clusterWithNodes();
  const { history, close } = follow(cluster, "bad");
  await cluster.run({
    name: "bad",
    container: { lifecycle: { postStart: { exec: { command: ["sh", "-c", "exit 2"] } } } },
  });
  const { metadata, status } = await cluster.pod("bad");
  const pod = `bad_default(${metadata.uid})`;
  expect(status.containerStatuses).toMatchObject([
    {
      state: {
        waiting: {
          reason: "PostStartHookError",
          message: `Exec lifecycle hook ([sh -c exit 2]) for Container "web" in Pod "${pod}" failed - error: command 'sh -c exit 2' exited with 2: , message: ""`,
        },
      },
    },
  ]);
  // The backoff of the second restart shows at its end.
  await cluster.advance("15s");
  expect(history).toEqual([
    "web waiting PostStartHookError x0",
    "web waiting PostStartHookError x1",
    "web waiting CrashLoopBackOff x1",
    "web waiting PostStartHookError x2",
  ]);
  close();
  const events = await cluster.eventsOf("bad");
  expect(events).toContain("FailedPostStartHook: PostStartHook failed");
  expect(events).toContain("Killing: FailedPostStartHook");
  await cluster.run({
    name: "polite",
    container: { lifecycle: { preStop: { sleep: { seconds: 10 } } } },
  });
  await cluster.client.delete(Pod, { name: "polite" });
  await cluster.advance("9s");
  expect((await seen(cluster, "polite")).phase).toBe("Running");
  await cluster.advance("1s");
  await expect(cluster.pod("polite")).rejects.toMatchObject({ reason: "NotFound" });
  await cluster.end();
});

test("hooks: a preStop hook that outlasts the grace period fails, unless it only sleeps", async () => {
  const cluster = await clusterWithNodes();
  for (const [name, preStop] of [
    ["busy", { exec: { command: ["sleep", "60"] } }],
    ["asleep", { sleep: { seconds: 10 } }],
  ] as const) {
    await cluster.run({ name, container: { lifecycle: { preStop } } });
    await cluster.client.delete(Pod, { name }, { gracePeriodSeconds: 5 });
  }
  await cluster.advance("10s");
  const reasons = async (name: string) =>
    (await cluster.eventsOf(name)).filter((event) => event.includes("Hook"));
  expect(await reasons("busy")).toEqual(["FailedPreStopHook: PreStopHook failed"]);
  expect(await reasons("asleep")).toEqual([]);
  await cluster.end();
});

test("hooks: a pod deleted during its postStart hook does not wait for it", async () => {
  const cluster = await clusterWithNodes();
  await cluster.run({
    name: "slow",
    container: { lifecycle: { postStart: { exec: { command: ["sleep", "3600"] } } } },
  });
  await cluster.advance("10s");
  expect((await seen(cluster, "slow")).containers).toEqual(["web waiting ContainerCreating x0"]);
  await cluster.client.delete(Pod, { name: "slow" });
  await cluster.advance("35s");
  await expect(cluster.pod("slow")).rejects.toMatchObject({ reason: "NotFound" });
  expect((await cluster.eventsOf("slow")).slice(-3)).toEqual([
    "FailedPostStartHook: PostStartHook failed",
    "Killing: FailedPostStartHook",
    "Killing: Stopping container web",
  ]);
  await cluster.end();
});

test("a pod deleted during an image pull does not wait for the pull", async () => {
  const cluster = await clusterWithNodes();
  await cluster.run({ name: "slow", annotations: { "wherry.dev/pull-delay": "1h" } });
  await cluster.advance("1m");
  expect((await seen(cluster, "slow")).containers).toEqual(["web waiting ContainerCreating x0"]);
  await cluster.client.delete(Pod, { name: "slow" });
  await cluster.advance("1m");
  await expect(cluster.pod("slow")).rejects.toThrow('pods "slow" not found');
  await cluster.end();
});

test("a container that ignores SIGTERM is killed after its grace period, also if that is shortened", async () => {
  const cluster = await clusterWithNodes();
  await cluster.run({
    name: "deaf",
    annotations: { "wherry.dev/ignores-sigterm": "true" },
    spec: { terminationGracePeriodSeconds: 60 },
  });
  await cluster.client.delete(Pod, { name: "deaf" });
  await cluster.advance("2s");
  expect((await cluster.pod("deaf")).metadata.deletionGracePeriodSeconds).toBe(60);
  await cluster.client.delete(Pod, { name: "deaf" }, { gracePeriodSeconds: 5 });
  await cluster.advance("4s");
  expect((await seen(cluster, "deaf")).phase).toBe("Running");
  const watched: (string | undefined)[] = [];
  const stop = new AbortController();
  const watching = (async () => {
    for await (const { type, object } of cluster.client.watch(Pod, {
      namespace: "default",
      signal: stop.signal,
    })) {
      const { status } = object as Pod;
      watched.push(
        `${type} ${status?.phase} ${status?.containerStatuses?.[0]?.state?.terminated?.exitCode}`,
      );
    }
  })().catch(() => {});
  await cluster.advance("1s");
  stop.abort();
  await watching;
  expect(watched.slice(-2)).toEqual(["MODIFIED Failed 137", "DELETED Failed 137"]);
  await cluster.end();
});

test("a force deleted pod leaves nothing behind, and its address is free again", async () => {
  const cluster = await clusterWithNodes();
  await cluster.run({ name: "a", annotations: { "wherry.dev/ignores-sigterm": "true" } });
  await cluster.client.delete(Pod, { name: "a" }, { gracePeriodSeconds: 0 });
  await cluster.advance("2s");
  const runtime = cluster.nodes.kubelets.get("node-1")?.runtime;
  expect(await runtime?.listContainers()).toEqual([]);
  expect(await runtime?.listPodSandboxes()).toEqual([]);
  await cluster.run({ name: "b" });
  expect((await cluster.pod("b")).status.podIP).toBe("10.244.0.2");
  await cluster.end();
});

test("an ended pod keeps its address in its status, although another pod may use it", async () => {
  const cluster = await clusterWithNodes();
  for (const [name, after] of [
    ["soon", "0s"],
    ["later", "5s"],
  ] as const)
    await cluster.run({
      name,
      annotations: { "wherry.dev/exit-code": "0", "wherry.dev/exit-after": after },
      spec: { restartPolicy: "Never" },
    });
  const later = (await cluster.pod("later")).status.podIP;
  expect(later).toMatch(/^10\.244\.0\./);
  await cluster.advance("30s");
  expect((await cluster.pod("later")).status).toMatchObject({
    phase: "Succeeded",
    podIP: later,
    podIPs: [{ ip: later }],
  });
  expect((await cluster.pod("soon")).status).toMatchObject({
    phase: "Succeeded",
    podIP: expect.stringMatching(/^10\.244\.0\./),
  });
});

test("a container that exceeds its memory limit is OOM killed", async () => {
  const cluster = await clusterWithNodes();
  await cluster.run({
    name: "big",
    annotations: { "wherry.dev/memory": "200Mi" },
    spec: { restartPolicy: "Never" },
    container: { resources: { limits: { memory: "100Mi" } } },
  });
  await cluster.advance("1s");
  expect(await seen(cluster, "big")).toEqual({
    phase: "Failed",
    containers: ["web terminated OOMKilled 137 x0"],
  });
  await cluster.end();
});

test("the termination message is written by the container, or is the end of its log", async () => {
  const cluster = await clusterWithNodes();
  const run = (name: string, annotations: Record<string, string>) =>
    cluster.run({
      name,
      annotations,
      spec: { restartPolicy: "Never" },
      container: {
        command: ["sh", "-c", "echo one; echo two; exit 1"],
        terminationMessagePolicy: "FallbackToLogsOnError",
      },
    });
  await run("logs", {});
  await run("words", { "wherry.dev/termination-message": "out of paper" });
  await cluster.advance("1s");
  const lastWords = async (name: string) =>
    (await cluster.pod(name)).status.containerStatuses?.[0]?.state?.terminated?.message;
  expect([await lastWords("logs"), await lastWords("words")]).toEqual([
    "one\ntwo\n",
    "out of paper",
  ]);
  await cluster.end();
});
