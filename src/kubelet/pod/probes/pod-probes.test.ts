import { expect, test } from "vitest";
import { Pod } from "../../../api/core/v1/pod/pod.ts";
import { clusterWithNodes } from "../../nodes.test-support.ts";
import { conditionOf, seen } from "../pod-life.test-support.ts";

test("a pod is ready while its readiness probe succeeds", async () => {
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

test("a pod that ends becomes unready when its readiness probe fails", async () => {
  const cluster = await clusterWithNodes();
  await cluster.run({
    name: "web",
    annotations: { "wherry.dev/ignores-sigterm": "true", "wherry.dev/readiness-fails": "20s-" },
    spec: { terminationGracePeriodSeconds: 60 },
    container: {
      livenessProbe: { tcpSocket: { port: 80 }, periodSeconds: 5 },
      readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 5 },
    },
  });
  await cluster.advance("15s");
  await cluster.client.delete(Pod, { name: "web" });
  await cluster.advance("10s");
  expect((await seen(cluster, "web")).containers).toEqual(["web running ready x0"]);
  await cluster.advance("10s");
  expect((await seen(cluster, "web")).containers).toEqual(["web running x0"]);
  expect((await conditionOf(cluster, "web", "Ready"))[0]).toBe("False");
  await cluster.advance("40s");
  await expect(cluster.pod("web")).rejects.toMatchObject({ reason: "NotFound" });
  await cluster.end();
});

test("a probe that exceeds its timeout fails", async () => {
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

test("a pod with readiness gates is ready only when their conditions are true", async () => {
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
