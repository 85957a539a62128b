import { expect, test } from "vitest";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Event } from "../../api/core/v1/event.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { clusterWithNodes, type NodesCluster } from "../nodes.test-support.ts";

/** What of a pod people look at. */
async function seen(cluster: NodesCluster, name: string) {
  const { status } = await cluster.pod(name);
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return {
    phase: status.phase,
    containers: all.map(({ name, state, restartCount, ready }) => {
      const [kind = "none", detail] = Object.entries(state ?? {})[0] ?? [];
      const { reason, exitCode } = detail as { reason?: string; exitCode?: number };
      const words = [name, kind, reason, exitCode].filter((word) => word !== undefined);
      return `${words.join(" ")}${ready ? " ready" : ""} x${restartCount}`;
    }),
  };
}

const conditionOf = async (cluster: NodesCluster, name: string, type: string) => {
  const { status } = await cluster.pod(name);
  const found = status.conditions?.find((condition) => condition.type === type);
  return [found?.status, found?.reason, found?.message];
};

/** How often an event is told that was told again. */
async function countOf(cluster: NodesCluster, reason: string): Promise<number | undefined> {
  const { items } = await cluster.client.list(Event, { namespace: "default" });
  return items.find((event) => event.reason === reason)?.count;
}

test("a container that crashes comes back after 10 s, 20 s, and so on, and the pod stays Running", async () => {
  const cluster = await clusterWithNodes();
  await cluster.run({
    name: "crash",
    annotations: { "wherry.dev/exit-code": "1", "wherry.dev/exit-after": "1s" },
  });
  expect(await seen(cluster, "crash")).toEqual({
    phase: "Running",
    containers: ["web running ready x0"],
  });
  // The first restart is at once.
  await cluster.advance("1s");
  expect(await seen(cluster, "crash")).toEqual({
    phase: "Running",
    containers: ["web running ready x1"],
  });
  await cluster.advance("1s");
  const { uid } = (await cluster.pod("crash")).metadata;
  expect((await cluster.pod("crash")).status).toMatchObject({
    phase: "Running",
    containerStatuses: [
      {
        restartCount: 1,
        ready: false,
        started: false,
        state: {
          waiting: {
            reason: "CrashLoopBackOff",
            message: `back-off 10s restarting failed container=web pod=crash_default(${uid})`,
          },
        },
        lastState: { terminated: { exitCode: 1, reason: "Error" } },
      },
    ],
  });
  expect(await conditionOf(cluster, "crash", "Ready")).toEqual([
    "False",
    "ContainersNotReady",
    "containers with unready status: [web]",
  ]);
  await cluster.advance("9s");
  expect((await seen(cluster, "crash")).containers).toEqual(["web waiting CrashLoopBackOff x1"]);
  await cluster.advance("1s");
  expect((await seen(cluster, "crash")).containers).toEqual(["web running ready x2"]);
  const restarts: number[] = [];
  for (let seconds = 0; seconds < 700; seconds++) {
    await cluster.advance("1s");
    const [{ restartCount = 0 } = {}] = (await cluster.pod("crash")).status.containerStatuses ?? [];
    if (restartCount > 2 + restarts.length) restarts.push(seconds);
  }
  // Each attempt lasts a second, and the waits are 20 s, 40 s, 80 s, 160 s, then 300 s.
  expect(restarts).toEqual([20, 61, 142, 303, 604]);
  expect(await cluster.eventsOf("crash")).toContain(
    `BackOff: Back-off restarting failed container web in pod crash_default(${uid})`,
  );
  await cluster.end();
});

test("restart policies: what has ended stays so, or comes back", async () => {
  const cluster = await clusterWithNodes();
  const cases = [
    ["never-ok", "Never", "true", "Succeeded", "web terminated Completed 0 x0"],
    ["never-bad", "Never", "false", "Failed", "web terminated Error 1 x0"],
    ["failure-ok", "OnFailure", "true", "Succeeded", "web terminated Completed 0 x0"],
    ["failure-bad", "OnFailure", "false", "Running", "web waiting CrashLoopBackOff x1"],
    ["always-ok", "Always", "true", "Running", "web waiting CrashLoopBackOff x1"],
  ] as const;
  for (const [name, restartPolicy, command] of cases)
    await cluster.run({
      name,
      spec: { restartPolicy },
      container: { image: "busybox", command: [command] },
    });
  await cluster.advance("1s");
  for (const [name, , , phase, container] of cases)
    expect(await seen(cluster, name), name).toEqual({ phase, containers: [container] });
  expect(await conditionOf(cluster, "never-ok", "Ready")).toEqual([
    "False",
    "PodCompleted",
    undefined,
  ]);
  expect(await conditionOf(cluster, "never-ok", "Initialized")).toEqual([
    "True",
    "PodCompleted",
    undefined,
  ]);
  expect(await conditionOf(cluster, "never-bad", "ContainersReady")).toEqual([
    "False",
    "PodFailed",
    undefined,
  ]);
  await cluster.end();
});

test("rules of a container come before the policy of its pod", async () => {
  const cluster = await clusterWithNodes();
  const rules = [{ action: "Restart", exitCodes: { operator: "In", values: [42] } }];
  for (const [name, code] of [
    ["listed", 42],
    ["other", 7],
  ] as const)
    await cluster.run({
      name,
      spec: { restartPolicy: "Never" },
      container: {
        command: ["sh", "-c", `exit ${code}`],
        restartPolicy: "Never",
        restartPolicyRules: rules,
      },
    });
  await cluster.advance("1s");
  expect((await seen(cluster, "listed")).phase).toBe("Running");
  expect((await seen(cluster, "other")).phase).toBe("Failed");
  await cluster.end();
});

test("a rule can restart all containers of a pod, from the first init container on", async () => {
  const cluster = await clusterWithNodes();
  const rules = [{ action: "RestartAllContainers", exitCodes: { operator: "In", values: [88] } }];
  await cluster.run({
    name: "web",
    annotations: {
      "worker.wherry.dev/exit-code": "88",
      "worker.wherry.dev/exit-after": "5s",
      "worker.wherry.dev/exit-times": "1",
    },
    spec: {
      restartPolicy: "Never",
      initContainers: [{ name: "init", image: "busybox" }],
      containers: [
        { name: "web", image: "nginx" },
        { name: "worker", image: "nginx", restartPolicy: "Never", restartPolicyRules: rules },
      ],
    },
  });
  await cluster.advance("4s");
  expect((await conditionOf(cluster, "web", "AllContainersRestarting"))[0]).toBe("False");
  await cluster.advance("2s");
  expect(await seen(cluster, "web")).toEqual({
    phase: "Running",
    containers: [
      "init terminated Completed 0 ready x1",
      "web running ready x1",
      "worker running ready x1",
    ],
  });
  expect((await conditionOf(cluster, "web", "AllContainersRestarting"))[0]).toBe("False");
  expect((await conditionOf(cluster, "web", "Initialized"))[0]).toBe("True");
  expect((await cluster.pod("web")).status.containerStatuses?.[0]?.lastState).toMatchObject({
    terminated: { reason: "RestartingAllContainers", exitCode: 137 },
  });
  await cluster.end();
});

test("a container whose image changes is restarted with the new one", async () => {
  const cluster = await clusterWithNodes();
  await cluster.run({ name: "web", spec: { restartPolicy: "Never" } });
  const spec = { containers: [{ name: "web", image: "nginx:2" }] };
  await cluster.client.patch(Pod, { name: "web" }, { strategic: { spec } as never });
  await cluster.settled();
  expect((await cluster.pod("web")).status).toMatchObject({
    observedGeneration: 2,
    containerStatuses: [{ restartCount: 1, image: "docker.io/library/nginx:2" }],
  });
  expect(await cluster.eventsOf("web")).toContain(
    "Killing: Container web definition changed, will be restarted",
  );
  await cluster.end();
});

test("init containers run one after the other, and one that fails for good ends the pod", async () => {
  const cluster = await clusterWithNodes();
  const init = (name: string, script: string) => ({
    name,
    image: "busybox",
    command: ["sh", "-c", script],
  });
  await cluster.run({
    name: "web",
    spec: { initContainers: [init("a", "sleep 2"), init("b", "sleep 3")] },
  });
  expect(await seen(cluster, "web")).toEqual({
    phase: "Pending",
    containers: ["a running x0", "b waiting PodInitializing x0", "web waiting PodInitializing x0"],
  });
  expect(await conditionOf(cluster, "web", "Initialized")).toEqual([
    "False",
    "ContainersNotInitialized",
    "containers with incomplete status: [a b]",
  ]);
  await cluster.advance("2s");
  expect((await seen(cluster, "web")).containers).toEqual([
    "a terminated Completed 0 ready x0",
    "b running x0",
    "web waiting PodInitializing x0",
  ]);
  await cluster.advance("3s");
  expect(await seen(cluster, "web")).toEqual({
    phase: "Running",
    containers: [
      "a terminated Completed 0 ready x0",
      "b terminated Completed 0 ready x0",
      "web running ready x0",
    ],
  });
  await cluster.run({
    name: "bad",
    spec: { restartPolicy: "Never", initContainers: [init("a", "exit 9")] },
  });
  await cluster.advance("1s");
  expect(await seen(cluster, "bad")).toEqual({
    phase: "Failed",
    containers: ["a terminated Error 9 x0", "web waiting PodInitializing x0"],
  });
  await cluster.end();
});

test("sidecars start before the others, and end after them in reverse order", async () => {
  const cluster = await clusterWithNodes();
  const sidecar = (name: string) => ({ name, image: name, restartPolicy: "Always" });
  const slow = "2s";
  await cluster.run({
    name: "web",
    annotations: { "wherry.dev/stop-delay": slow, "a.wherry.dev/startup-fails": "0-5s" },
    spec: {
      initContainers: [
        {
          ...sidecar("a"),
          startupProbe: {
            httpGet: { path: "/", port: 80 },
            periodSeconds: 1,
            failureThreshold: 30,
          },
        },
        sidecar("b"),
      ],
    },
  });
  expect(await seen(cluster, "web")).toEqual({
    phase: "Pending",
    containers: ["a running x0", "b waiting PodInitializing x0", "web waiting PodInitializing x0"],
  });
  await cluster.advance("5s");
  expect(await seen(cluster, "web")).toEqual({
    phase: "Running",
    containers: ["a running ready x0", "b running ready x0", "web running ready x0"],
  });
  await cluster.client.delete(Pod, { name: "web" });
  const ends: string[] = [];
  const stop = cluster.nodes.kubelets.get("node-1")?.runtime.containerEvents(async (event) => {
    if (event.type !== "stopped") return;
    const runtime = cluster.nodes.kubelets.get("node-1")?.runtime;
    const status = await runtime?.containerStatus(event.containerId).catch(() => undefined);
    if (status) ends.push(`${status.metadata.name} ${status.finishedAt % 60_000}`);
  });
  await cluster.advance("10s");
  stop?.();
  expect(ends).toEqual(["web 7000", "b 9000", "a 11000"]);
  await expect(cluster.pod("web")).rejects.toMatchObject({ reason: "NotFound" });
  await cluster.end();
});

test("sidecars do not keep a pod alive whose containers have ended", async () => {
  const cluster = await clusterWithNodes();
  await cluster.run({
    name: "job",
    spec: {
      restartPolicy: "Never",
      initContainers: [{ name: "log", image: "log", restartPolicy: "Always" }],
    },
    container: { command: ["sleep", "5"] },
  });
  await cluster.advance("4s");
  expect((await seen(cluster, "job")).phase).toBe("Running");
  await cluster.advance("2s");
  expect(await seen(cluster, "job")).toEqual({
    phase: "Succeeded",
    containers: ["log terminated Completed 0 x0", "web terminated Completed 0 x0"],
  });
  await cluster.end();
});

test("an image that cannot be pulled is tried again, later each time", async () => {
  const cluster = await clusterWithNodes();
  await cluster.run({
    name: "web",
    annotations: { "wherry.dev/pull-error": "no such image", "wherry.dev/pull-failures": "2" },
  });
  expect((await cluster.pod("web")).status).toMatchObject({
    phase: "Pending",
    containerStatuses: [
      { state: { waiting: { reason: "ErrImagePull", message: "no such image" } } },
    ],
  });
  await cluster.advance("9s");
  expect((await seen(cluster, "web")).containers).toEqual(["web waiting ErrImagePull x0"]);
  // It is pulled again, and the wait after that is 20 s: the next try falls into it.
  await cluster.advance("11s");
  expect((await cluster.pod("web")).status.containerStatuses).toMatchObject([
    {
      state: {
        waiting: {
          reason: "ImagePullBackOff",
          message: 'Back-off pulling image "nginx": ErrImagePull: no such image',
        },
      },
    },
  ]);
  await cluster.advance("20s");
  expect((await seen(cluster, "web")).phase).toBe("Running");
  const events = await cluster.eventsOf("web");
  expect(events.slice(0, 4)).toEqual([
    'Pulling: Pulling image "nginx"',
    'Failed: Failed to pull image "nginx": no such image',
    "Failed: Error: ErrImagePull",
    'BackOff: Back-off pulling image "nginx"',
  ]);
  expect(await countOf(cluster, "Pulling")).toBe(3);
  expect(events).toContain("Failed: Error: ImagePullBackOff");
  await cluster.end();
});

test("images that are here are not pulled, and those that must not be pulled are missed", async () => {
  const cluster = await clusterWithNodes();
  await cluster.run({ name: "first", container: { image: "nginx:1" } });
  await cluster.run({ name: "second", container: { image: "nginx:1" } });
  expect((await cluster.eventsOf("second"))[0]).toBe(
    'Pulled: Container image "nginx:1" already present on machine and can be accessed by the pod',
  );
  await cluster.run({ name: "never", container: { image: "other:1", imagePullPolicy: "Never" } });
  expect(await cluster.eventsOf("never")).toEqual([
    'ErrImageNeverPull: Container image "other:1" is not present with pull policy of Never',
    "Failed: Error: ErrImageNeverPull",
  ]);
  expect((await seen(cluster, "never")).containers).toEqual(["web waiting ErrImageNeverPull x0"]);
  await cluster.end();
});

test("a pod is ready when its readiness probe says so, and as long as it does", async () => {
  const cluster = await clusterWithNodes();
  await cluster.run({
    name: "web",
    annotations: { "wherry.dev/ready-after": "12s", "wherry.dev/readiness-fails": "60s-90s" },
    container: { readinessProbe: { httpGet: { path: "/", port: 80 }, periodSeconds: 5 } },
  });
  await cluster.advance("14s");
  expect(await seen(cluster, "web")).toEqual({
    phase: "Running",
    containers: ["web running x0"],
  });
  expect(await cluster.eventsOf("web")).toContain(
    "Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 503",
  );
  await cluster.advance("1s");
  expect(await conditionOf(cluster, "web", "Ready")).toEqual(["True", undefined, undefined]);
  await cluster.advance("54s");
  expect((await conditionOf(cluster, "web", "Ready"))[0]).toBe("True");
  // Three failures, at 60, 65 and 70 seconds, are needed.
  await cluster.advance("1s");
  expect(await conditionOf(cluster, "web", "ContainersReady")).toEqual([
    "False",
    "ContainersNotReady",
    "containers with unready status: [web]",
  ]);
  await cluster.advance("20s");
  expect((await conditionOf(cluster, "web", "Ready"))[0]).toBe("True");
  expect((await seen(cluster, "web")).containers).toEqual(["web running ready x0"]);
  await cluster.end();
});

test("a container that fails its liveness probe is killed and restarted", async () => {
  const cluster = await clusterWithNodes();
  await cluster.run({
    name: "web",
    annotations: { "wherry.dev/liveness-fails": "30s-" },
    container: {
      livenessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 10, failureThreshold: 2 },
    },
  });
  await cluster.advance("39s");
  expect((await seen(cluster, "web")).containers).toEqual(["web running ready x0"]);
  await cluster.advance("1s");
  expect((await seen(cluster, "web")).containers).toEqual(["web running ready x1"]);
  const events = await cluster.eventsOf("web");
  expect(events).toContain(
    "Unhealthy: Liveness probe failed: dial tcp 10.244.0.2:8080: connect: connection refused",
  );
  expect(events).toContain("Killing: Container web failed liveness probe, will be restarted");
  await cluster.end();
});

test("a probe that takes longer than it may has failed", async () => {
  const cluster = await clusterWithNodes();
  await cluster.run({
    name: "web",
    container: {
      livenessProbe: {
        exec: { command: ["sh", "-c", "sleep 10"] },
        initialDelaySeconds: 15,
        timeoutSeconds: 2,
        failureThreshold: 1,
      },
    },
  });
  await cluster.advance("15s");
  expect((await seen(cluster, "web")).containers).toEqual(["web running ready x0"]);
  await cluster.advance("12s");
  expect((await seen(cluster, "web")).containers).toEqual(["web running ready x1"]);
  expect(await cluster.eventsOf("web")).toContain(
    'Unhealthy: Liveness probe failed: command timed out: "sh -c sleep 10" timed out after 2s',
  );
  await cluster.end();
});

test("other probes wait for the startup probe", async () => {
  const cluster = await clusterWithNodes();
  const probe = { exec: { command: ["check"] }, periodSeconds: 1 };
  await cluster.run({
    name: "web",
    annotations: { "wherry.dev/startup-fails": "0-10s", "wherry.dev/liveness-fails": "0-10s" },
    container: {
      startupProbe: { ...probe, failureThreshold: 20 },
      livenessProbe: { ...probe, failureThreshold: 1 },
    },
  });
  await cluster.advance("9s");
  expect((await cluster.pod("web")).status.containerStatuses).toMatchObject([
    { started: false, ready: false, restartCount: 0 },
  ]);
  await cluster.advance("1s");
  expect((await cluster.pod("web")).status.containerStatuses).toMatchObject([
    { started: true, ready: true, restartCount: 0 },
  ]);
  await cluster.run({
    name: "never",
    annotations: { "wherry.dev/startup-fails": "always" },
    container: { startupProbe: { ...probe, failureThreshold: 3 } },
  });
  await cluster.advance("3s");
  expect(await cluster.eventsOf("never")).toContain(
    "Killing: Container web failed startup probe, will be restarted",
  );
  await cluster.end();
});

test("a pod with gates is ready only when others say so", async () => {
  const cluster = await clusterWithNodes();
  await cluster.run({
    name: "web",
    spec: { readinessGates: [{ conditionType: "example.com/lb" }] },
  });
  expect(await conditionOf(cluster, "web", "Ready")).toEqual([
    "False",
    "ReadinessGatesNotReady",
    'corresponding condition of pod readiness gate "example.com/lb" does not exist.',
  ]);
  expect((await conditionOf(cluster, "web", "ContainersReady"))[0]).toBe("True");
  const set = async (status: string): Promise<void> => {
    await cluster.client.patch(
      Pod,
      { name: "web" },
      { strategic: { status: { conditions: [{ type: "example.com/lb", status }] } } as never },
      { subresource: "status" },
    );
    await cluster.settled();
  };
  await set("False");
  expect((await conditionOf(cluster, "web", "Ready"))[2]).toBe(
    'the status of pod readiness gate "example.com/lb" is not "True", but False',
  );
  await set("True");
  expect((await conditionOf(cluster, "web", "Ready"))[0]).toBe("True");
  await cluster.end();
});

test("a pod that is longer active than it may be has failed", async () => {
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

test("hooks: what follows a start can fail it, and what comes before an end takes of its time", async () => {
  const cluster = await clusterWithNodes();
  await cluster.run({
    name: "bad",
    container: { lifecycle: { postStart: { exec: { command: ["sh", "-c", "exit 2"] } } } },
  });
  expect((await cluster.pod("bad")).status.containerStatuses).toMatchObject([
    {
      state: {
        waiting: {
          reason: "PostStartHookError",
          message: "command 'sh -c exit 2' exited with 2: ",
        },
      },
    },
  ]);
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

test("who does not listen is killed when its time is over, and sooner when that is shortened", async () => {
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

test("a pod that is removed by force leaves nothing behind, and its address is free again", async () => {
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

test("a pod that has ended keeps its address, which others may have by now", async () => {
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

test("a pod on the node's network has the node's address", async () => {
  const cluster = await clusterWithNodes();
  await cluster.run({ name: "host", spec: { hostNetwork: true } });
  expect((await cluster.pod("host")).status).toMatchObject({
    hostIP: "10.89.0.1",
    podIP: "10.89.0.1",
    podIPs: [{ ip: "10.89.0.1" }],
  });
  await cluster.end();
});

test("ephemeral containers are started in a pod that runs, and never again", async () => {
  const cluster = await clusterWithNodes();
  await cluster.run({ name: "web" });
  const debug = { name: "debug", image: "busybox", command: ["sleep", "5"] };
  await cluster.client.patch(
    Pod,
    { name: "web" },
    { strategic: { spec: { ephemeralContainers: [debug] } } as never },
    { subresource: "ephemeralcontainers" },
  );
  await cluster.settled();
  expect((await cluster.pod("web")).status.ephemeralContainerStatuses).toMatchObject([
    { name: "debug", state: { running: {} }, ready: false },
  ]);
  await cluster.advance("1m");
  expect((await cluster.pod("web")).status).toMatchObject({
    phase: "Running",
    observedGeneration: 2,
    ephemeralContainerStatuses: [
      { name: "debug", restartCount: 0, state: { terminated: { exitCode: 0 } } },
    ],
  });
  const { items } = await cluster.client.list(Event, { namespace: "default" });
  expect(items.map(({ involvedObject }) => involvedObject?.fieldPath)).toContain(
    "spec.ephemeralContainers{debug}",
  );
  await cluster.end();
});

test("a container that needs more memory than it may have is killed for it", async () => {
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

test("last words are what a container leaves, or the end of its log", async () => {
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

test("what a pod refers to must be there, and is looked for again and again", async () => {
  const cluster = await clusterWithNodes();
  await cluster.run({
    name: "mounts",
    spec: { volumes: [{ name: "cfg", configMap: { name: "settings" } }] },
  });
  const valueFrom = { configMapKeyRef: { name: "settings", key: "greeting" } };
  await cluster.run({
    name: "env",
    container: { command: ["echo", "$(GREETING)"], env: [{ name: "GREETING", valueFrom }] },
  });
  expect((await seen(cluster, "mounts")).containers).toEqual(["web waiting ContainerCreating x0"]);
  expect(await cluster.eventsOf("mounts")).toEqual([
    'FailedMount: MountVolume.SetUp failed for volume "cfg" : configmap "settings" not found',
  ]);
  expect((await cluster.pod("env")).status.containerStatuses).toMatchObject([
    {
      state: {
        waiting: {
          reason: "CreateContainerConfigError",
          message: 'configmap "settings" not found',
        },
      },
    },
  ]);
  expect(await cluster.eventsOf("env")).toContain('Failed: Error: configmap "settings" not found');
  const metadata = { name: "settings" };
  await cluster.client.create(ConfigMap, { metadata, data: { other: "x" } });
  await cluster.advance("20s");
  expect((await seen(cluster, "mounts")).phase).toBe("Running");
  expect((await cluster.pod("env")).status.containerStatuses?.[0]?.state?.waiting?.message).toBe(
    "couldn't find key greeting in ConfigMap default/settings",
  );
  await cluster.client.update(ConfigMap, { metadata, data: { greeting: "hello" } });
  await cluster.advance("10s");
  expect((await cluster.pod("env")).status.containerStatuses?.[0]?.restartCount).toBeGreaterThan(0);
  const runtime = cluster.nodes.kubelets.get("node-1")?.runtime;
  const containers = await runtime?.listContainers();
  const said = containers?.find(({ podUid, state }) => podUid !== "" && state === "exited");
  let text = "";
  const { signal } = new AbortController();
  for await (const piece of runtime?.logs(said?.id ?? "", { follow: false, signal }) ?? [])
    text += piece.text;
  expect(text).toBe("hello\n");
  await cluster.end();
});

test("sandboxes and starts that fail are told of, and tried again", async () => {
  const cluster = await clusterWithNodes();
  await cluster.run({ name: "sandbox", annotations: { "wherry.dev/sandbox-error": "no network" } });
  expect(await cluster.eventsOf("sandbox")).toEqual([
    "FailedCreatePodSandBox: Failed to create pod sandbox: no network",
  ]);
  expect((await conditionOf(cluster, "sandbox", "PodReadyToStartContainers"))[0]).toBe("False");
  await cluster.run({ name: "create", annotations: { "wherry.dev/create-error": "no disk" } });
  expect((await seen(cluster, "create")).containers).toEqual([
    "web waiting CreateContainerError x0",
  ]);
  await cluster.run({ name: "start", annotations: { "wherry.dev/start-error": "no such file" } });
  expect(await cluster.eventsOf("start")).toContain("Failed: Error: no such file");
  expect((await cluster.pod("start")).status.containerStatuses).toMatchObject([
    {
      state: { waiting: { reason: expect.stringMatching(/RunContainerError|CrashLoopBackOff/) } },
      lastState: { terminated: { exitCode: 128, reason: "StartError" } },
    },
  ]);
  await cluster.end();
});
