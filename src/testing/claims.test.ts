import { expect, test } from "vitest";
import { StatefulSet } from "../api/apps/v1/stateful-set.ts";
import { Pod } from "../api/core/v1/pod/pod.ts";
import { PersistentVolume } from "../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../api/core/v1/volume/persistent-volume-claim.ts";
import { type ClusterOptions, startCluster } from "./start-cluster.ts";

const labels = { app: "db" };
const db = {
  metadata: { name: "db" },
  spec: {
    replicas: 3,
    serviceName: "db",
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        containers: [
          { name: "c", image: "db:1", volumeMounts: [{ name: "data", mountPath: "/data" }] },
        ],
      },
    },
    volumeClaimTemplates: [
      {
        metadata: { name: "data" },
        spec: {
          accessModes: ["ReadWriteOnce"],
          resources: { requests: { storage: "1Gi" } },
        },
      },
    ],
  },
};

test.each<[ClusterOptions["clock"]]>([["virtual"], ["real"]])(
  "a stateful set with claims just runs on simulated nodes, and its pods come back to their volumes: %s clock",
  async (clock) => {
    await using cluster = await startCluster({ nodes: 3, clock });
    const { client } = cluster;
    const wait = async (): Promise<void> => {
      if (clock === "virtual") await cluster.advance("1m");
    };
    const phases = async () => {
      await wait();
      return (await client.list(Pod)).items.map(({ status }) => status.phase);
    };
    await client.create(StatefulSet, db as never);
    await expect.poll(phases, { timeout: 20_000 }).toEqual(["Running", "Running", "Running"]);
    const claims = (await client.list(PersistentVolumeClaim)).items;
    expect(claims.map(({ metadata, status }) => `${metadata.name} ${status.phase}`)).toEqual([
      "data-db-0 Bound",
      "data-db-1 Bound",
      "data-db-2 Bound",
    ]);
    const before = await client.get(Pod, { name: "db-1" });
    await client.delete(Pod, { name: "db-1" });
    const uid = async () => {
      await wait();
      const pod = await client.get(Pod, { name: "db-1" }).catch(() => undefined);
      return pod?.status.phase === "Running" && pod.metadata.uid !== before.metadata.uid;
    };
    await expect.poll(uid, { timeout: 40_000 }).toBe(true);
    const after = await client.get(Pod, { name: "db-1" });
    expect(after.spec.nodeName).toBe(before.spec.nodeName);
    expect((await client.list(PersistentVolume)).items).toHaveLength(3);
  },
  60_000,
);
