import { expect, test } from "vitest";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Event } from "../../api/core/v1/event/event.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { clusterWithNodes } from "../nodes.test-support.ts";
import { conditionOf, countOf, follow, seen } from "./pod-life.test-support.ts";

test("a crashing container is restarted after 10 s, 20 s, and so on, and the pod stays Running", async () => {
  const cluster = await clusterWithNodes();
  const { history, close } = follow(cluster, "crash");
  await cluster.run({
    name: "crash",
    annotations: { "wherry.dev/exit-code": "1", "wherry.dev/exit-after": "1s" },
  });
  // The first restart is at once.
  await cluster.advance("2s");
  const shown = ["web running ready x0", "web running ready x1", "web terminated Error 1 x1"];
  expect(history).toEqual(shown);
  expect((await cluster.pod("crash")).status).toMatchObject({
    phase: "Running",
    containerStatuses: [{ lastState: { terminated: { exitCode: 1, reason: "Error" } } }],
  });
  expect(await conditionOf(cluster, "crash", "Ready")).toEqual([
    "False",
    "ContainersNotReady",
    "containers with unready status: [web]",
  ]);
  await cluster.advance("9s");
  expect(history).toEqual(shown);
  // The backoff shows at its end.
  await cluster.advance("1s");
  expect(history.slice(shown.length, shown.length + 2)).toEqual([
    "web waiting CrashLoopBackOff x1",
    "web running ready x2",
  ]);
  const ends: number[] = [];
  for (let seconds = 1; seconds < 1500; seconds++) {
    await cluster.advance("1s");
    const { restartCount, state } =
      (await cluster.pod("crash")).status.containerStatuses?.[0] ?? {};
    if (state?.running && restartCount === 3 + ends.length) ends.push(seconds);
  }
  // Each attempt lasts a second, and the waits are 20 s, 40 s, 80 s, 160 s, then 300 s.
  const waits = ends.map((end, i) => end - (ends[i - 1] ?? 0));
  expect(waits).toEqual([21, 41, 81, 161, 301, 301, 301]);
  const { uid } = (await cluster.pod("crash")).metadata;
  expect(await cluster.eventsOf("crash")).toContain(
    `BackOff: Back-off restarting failed container web in pod crash_default(${uid})`,
  );
  close();
  await cluster.end();
});

test("restart policies: ended containers are restarted or not", async () => {
  const cluster = await clusterWithNodes();
  const cases = [
    ["never-ok", "Never", "true", "Succeeded", "web terminated Completed 0 x0"],
    ["never-bad", "Never", "false", "Failed", "web terminated Error 1 x0"],
    ["failure-ok", "OnFailure", "true", "Succeeded", "web terminated Completed 0 x0"],
    ["failure-bad", "OnFailure", "false", "Running", "web terminated Error 1 x1"],
    ["always-ok", "Always", "true", "Running", "web terminated Completed 0 x1"],
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

test("restart rules of a container override the policy of its pod", async () => {
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

test("missing references of a pod delay its start, and are retried", async () => {
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
    text += new TextDecoder().decode(piece.bytes);
  expect(text).toBe("hello\n");
  await cluster.end();
});

test("failures of sandboxes and starts are recorded as events, and retried", async () => {
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
test("an image pull that fails is retried with a growing backoff", async () => {
  const cluster = await clusterWithNodes();
  const { history, close } = follow(cluster, "web");
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
  // The next sync, 10 to 15 s later, shows the backoff of the one before, which was at once.
  await cluster.advance("9s");
  expect(history).toEqual(["web waiting ErrImagePull x0"]);
  await cluster.advance("6s");
  expect(history).toEqual(["web waiting ErrImagePull x0", "web waiting ImagePullBackOff x0"]);
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
  await cluster.advance("45s");
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
  close();
  await cluster.end();
});

test("existing images are not pulled, and with policy Never a missing image is an error", async () => {
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
