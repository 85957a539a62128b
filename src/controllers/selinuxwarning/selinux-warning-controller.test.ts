import { expect, onTestFinished, test } from "vitest";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { Event } from "../../api/events/v1/event.ts";
import { CSIDriver } from "../../api/storage/v1/csi-driver.ts";
import { accountedCluster } from "../accounted-cluster.test-support.ts";
import { partsOf } from "../running.test-support.ts";
import { seLinuxWarningModule } from "./selinux-warning-module.ts";

const namespace = "default";

/** A cluster with a claim that is bound to a volume of a driver that takes labels. */
async function labelledCluster() {
  const cluster = await accountedCluster({ runnables: partsOf(seLinuxWarningModule) });
  onTestFinished(() => cluster.end());
  const { client, advance } = cluster;
  await client.create(CSIDriver, {
    metadata: { name: "d.example.com" },
    spec: { seLinuxMount: true },
  });
  const claim = await client.create(PersistentVolumeClaim, {
    metadata: { name: "data", namespace },
    spec: {
      ...{ accessModes: ["ReadWriteMany"], volumeName: "v", storageClassName: "" },
      resources: { requests: { storage: "1Gi" } },
    },
  });
  await client.create(PersistentVolume, {
    metadata: { name: "v" },
    spec: {
      ...{ accessModes: ["ReadWriteMany"], capacity: { storage: "1Gi" } },
      csi: { driver: "d.example.com", volumeHandle: "h" },
      claimRef: { namespace, name: "data", uid: claim.metadata.uid },
    },
  });
  return {
    ...cluster,
    pod: (name: string, securityContext: object, own: object = {}) =>
      client.create(Pod, {
        metadata: { name, namespace },
        spec: {
          securityContext,
          volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }],
          containers: [
            { name: "c", image: "i", volumeMounts: [{ name: "v", mountPath: "/v" }] },
            {
              ...{ name: "d", image: "i", securityContext: own },
              volumeMounts: [{ name: "v", mountPath: "/v" }],
            },
          ],
        },
      }),
    async notes() {
      await advance("1s");
      const { items } = await client.list(Event, { namespace });
      return items
        .map(({ reason, regarding, note }) => `${reason} ${regarding?.name}: ${note}`)
        .sort();
    },
  };
}

const level = (text: string) => ({ seLinuxOptions: { level: text } });

test("pods that mount a volume with different labels are warned", async () => {
  const { pod, notes } = await labelledCluster();
  await pod("a", level("s0:c1"));
  await pod("same", level("s0:c1"));
  expect(await notes()).toEqual([]);
  await pod("b", level("s0:c2"));
  const found = await notes();
  expect(found.filter((note) => note.startsWith("SELinuxLabelConflict a"))).toEqual([
    'SELinuxLabelConflict a: SELinuxLabel ":::s0:c1" conflicts with pod b that uses the same volume as this pod with SELinuxLabel ":::s0:c2". If both pods land on the same node, only one of them may access the volume.',
  ]);
  expect(found.filter((note) => note.startsWith("SELinuxLabelConflict b"))).toHaveLength(2);
  expect(found.filter((note) => note.startsWith("SELinuxLabelConflict same"))).toHaveLength(1);
});

test("a pod that has its files relabelled conflicts with one that mounts with a label", async () => {
  const { pod, notes } = await labelledCluster();
  await pod("a", level("s0:c1"));
  await pod("b", { ...level("s0:c1"), seLinuxChangePolicy: "Recursive" });
  const reasons = (await notes()).map((note) => note.split(":")[0]);
  expect(reasons).toEqual([
    "SELinuxChangePolicyConflict a",
    "SELinuxChangePolicyConflict b",
    "SELinuxLabelConflict a",
    "SELinuxLabelConflict b",
  ]);
});

test("without support of the driver labels do not matter, until it has it", async () => {
  const { client, pod, notes } = await labelledCluster();
  await client.delete(CSIDriver, { name: "d.example.com" });
  await pod("a", level("s0:c1"));
  await pod("b", level("s0:c2"));
  expect(await notes()).toEqual([]);
  await client.create(CSIDriver, {
    metadata: { name: "d.example.com" },
    spec: { seLinuxMount: true },
  });
  expect((await notes()).some((note) => note.startsWith("SELinuxLabelConflict a"))).toBe(true);
});

test("two labels for one volume in a pod", async () => {
  const { pod, notes } = await labelledCluster();
  await pod("a", level("s0:c1"), level("s0:c2"));
  expect(await notes()).toEqual([
    'MultipleSELinuxLabels a: Volume "v" is mounted twice with different SELinux labels inside this pod',
  ]);
});
