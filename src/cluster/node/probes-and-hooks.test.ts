import { expect, onTestFinished } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { Event } from "../../api/core/v1/event/event.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { testImage } from "../../engine/engine.test-support.ts";
import { type RealNode, startRealNode } from "./real-node.test-support.ts";

/** Runs a pod whose container serves HTTP at port 8080 after its postStart hook. */
const run = ({ client }: RealNode, name: string, container: object): Promise<Pod> =>
  client.create(Pod, {
    metadata: { name, namespace: "default" },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: "c",
          image: testImage,
          command: [
            "sh",
            "-c",
            "until test -f /www/up; do sleep 0.1; done; httpd -f -p 8080 -h /www",
          ],
          ...container,
        },
      ],
    },
  } as never);

async function eventsOf({ client }: RealNode, name: string): Promise<readonly string[]> {
  const { items } = await client.list(Event, { namespace: "default" });
  return items
    .filter(({ involvedObject }) => involvedObject?.name === name)
    .map(({ reason, message }) => `${reason}: ${message}`);
}

/** Deletes all pods, so that no container starts again while the node is removed. */
async function deleteAll({ client }: RealNode): Promise<void> {
  const pods = async () => (await client.list(Pod, { namespace: "default" })).items;
  for (const { metadata } of await pods())
    await client.delete(Pod, { namespace: "default", name: metadata.name ?? "" });
  await expect.poll(async () => (await pods()).length, { timeout: 20_000 }).toBe(0);
}

testWith(requires("containers"))(
  "startNode: probes and hooks reach real containers",
  async () => {
    const cluster = await startRealNode();
    onTestFinished(() => deleteAll(cluster), 30_000);
    const statusOf = async (name: string) =>
      (await cluster.pod(name)).status.containerStatuses?.[0];
    const serve = { exec: { command: ["sh", "-c", "mkdir -p /www; touch /www/up"] } };
    await run(cluster, "good", {
      lifecycle: { postStart: serve },
      startupProbe: { exec: { command: ["test", "-f", "/www/up"] }, periodSeconds: 1 },
      livenessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
      readinessProbe: { httpGet: { path: "/up", port: 8080 }, periodSeconds: 1 },
    });
    await run(cluster, "bad", {
      lifecycle: { postStart: { exec: { command: ["sh", "-c", "echo no; exit 4"] } } },
    });
    await run(cluster, "unready", {
      lifecycle: { postStart: serve, preStop: { httpGet: { path: "/", port: 8081 } } },
      readinessProbe: { httpGet: { path: "/none", port: 8080 }, periodSeconds: 1 },
    });
    await expect.poll(async () => (await statusOf("good"))?.ready, { timeout: 20_000 }).toBe(true);
    await expect
      .poll(() => eventsOf(cluster, "unready"), { timeout: 20_000 })
      .toContain("Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 404");
    await expect
      .poll(async () => (await eventsOf(cluster, "bad")).slice(-3), { timeout: 20_000 })
      .toEqual([
        "FailedPostStartHook: PostStartHook failed",
        "Killing: FailedPostStartHook",
        expect.stringContaining("BackOff: Back-off restarting failed container c in pod bad_"),
      ]);
    await cluster.client.delete(Pod, { namespace: "default", name: "unready" });
    await expect
      .poll(() => eventsOf(cluster, "unready"), { timeout: 20_000 })
      .toContain("FailedPreStopHook: PreStopHook failed");
    expect(await statusOf("good")).toMatchObject({ started: true, restartCount: 0 });
    expect((await statusOf("unready"))?.ready ?? false).toBe(false);
  },
  60_000,
);
