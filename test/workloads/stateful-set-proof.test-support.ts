import { expect } from "vitest";
import { StatefulSet } from "../../src/api/apps/v1/stateful-set.ts";
import { Pod } from "../../src/api/core/v1/pod/pod.ts";
import { PersistentVolume } from "../../src/api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../src/api/core/v1/volume/persistent-volume-claim.ts";
import { isRunning } from "../../src/platform/process-identity.ts";
import { eventually } from "../eventually.ts";
import { container, ready, type WorkloadsRoom } from "./workloads-cluster.test-support.ts";

const labels = { app: "db" };
const claims = ["data-db-0", "data-db-1"];

/** Pods of a stateful set get volumes, and come back to their data, whatever is killed. */
export async function statefulSetProof(room: WorkloadsRoom): Promise<void> {
  const { client, cluster } = room;
  await client.create(StatefulSet, {
    metadata: { name: "db" },
    spec: {
      ...{ replicas: 2, serviceName: "db", selector: { matchLabels: labels } },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: 1,
          containers: [
            container("hostname >> /data/log; exec sleep 1000", {
              volumeMounts: [{ name: "data", mountPath: "/data" }],
            }),
          ],
        },
      },
      volumeClaimTemplates: [
        {
          metadata: { name: "data" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Mi" } } },
        },
      ],
    },
  } as never);
  await ready(room, 2);
  const lines = async (name: string): Promise<number> => {
    const said = (await room.exec(name, "cat /data/log")).trim().split("\n");
    expect(new Set(said)).toEqual(new Set([name]));
    return said.length;
  };
  const comesBack = async (uid: string | undefined, count: number): Promise<void> => {
    await eventually(async () => {
      const pod = await client.get(Pod, { name: "db-0" });
      expect(pod.metadata.uid).not.toBe(uid);
      expect(pod.status.phase).toBe("Running");
    });
    await eventually(async () => expect(await lines("db-0")).toBe(count));
  };
  expect(await lines("db-1")).toBe(1);

  const first = await client.get(Pod, { name: "db-0" });
  await client.delete(Pod, { name: "db-0" });
  await comesBack(first.metadata.uid, 2);

  const nodeName = first.spec.nodeName ?? "";
  const agent = await cluster.agent(nodeName);
  process.kill(agent.pid, "SIGKILL");
  await eventually(() => expect(isRunning(agent)).toBe(false));
  const second = await client.get(Pod, { name: "db-0" });
  await client.delete(Pod, { name: "db-0" });
  await comesBack(second.metadata.uid, 3);
  expect((await client.get(Pod, { name: "db-0" })).spec.nodeName).toBe(nodeName);

  const { items } = await client.list(PersistentVolumeClaim);
  expect(items.map(({ metadata }) => metadata.name)).toEqual(claims);
  await client.delete(StatefulSet, { name: "db" });
  await eventually(async () => expect(await room.pods()).toEqual([]));
  for (const name of claims) await client.delete(PersistentVolumeClaim, { name });
  await eventually(async () => {
    expect((await client.list(PersistentVolume)).items).toEqual([]);
  });
}
