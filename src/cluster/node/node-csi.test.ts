import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { movableClock } from "../../../test/node-faults/movable-clock.test-support.ts";
import { nodePods } from "../../../test/node-faults/node-pods.test-support.ts";
import { requires, testWith } from "../../../test/requires.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { CSIDriver } from "../../api/storage/v1/csi-driver.ts";
import { CSINode } from "../../api/storage/v1/csi-node.ts";
import { testImage } from "../../engine/engine.test-support.ts";
import { testFolder } from "../../kubelet/host/plugins/plugin.test-support.ts";
import { serveDriver } from "../../kubelet/host/volumes/csi/csi-driver.test-support.ts";
import { startRealNode } from "./real-node.test-support.ts";

const timeout = 20_000;
const namespace = "default";

testWith(requires("containers"))(
  "a real pod: a CSI driver that registers provides its volume",
  async () => {
    const { client, root, pod, nodeName } = await startRealNode();
    const driver = await serveDriver({ folder: testFolder() });
    const object = { volumeLifecycleModes: ["Ephemeral"], tokenRequests: [{ audience: "a" }] };
    await client.create(CSIDriver, { metadata: { name: driver.name }, spec: object } as never);
    onTestFinished(async () => {
      await client.delete(Pod, { namespace, name: "p" }).catch(() => {});
      const gone = () => pod("p").then(Boolean, () => false);
      await expect.poll(gone, { timeout }).toBe(false);
    });
    await client.create(Pod, {
      metadata: { name: "p", namespace },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            ...{ name: "c", image: testImage, command: ["sh", "-c", "echo x > /v/f; sleep 1000"] },
            volumeMounts: [{ name: "v", mountPath: "/v" }],
          },
        ],
        volumes: [{ name: "v", csi: { driver: driver.name } }],
      },
    } as never);
    await driver.register(join(root, "kubelet/plugins_registry"));
    await expect.poll(() => driver.outcomes, { timeout }).toEqual([""]);
    const csiNode = await client.get(CSINode, { name: nodeName });
    expect(csiNode.spec.drivers?.map(({ name }) => name)).toEqual([driver.name]);
    await expect.poll(async () => (await pod("p")).status.phase, { timeout }).toBe("Running");
    const { volume_id, target_path, volume_context } = driver.last("Publish") ?? {};
    expect(Object.keys(volume_context ?? {})).toEqual(["csi.storage.k8s.io/serviceAccount.tokens"]);
    const file = join(driver.content(String(volume_id)), "f");
    await expect.poll(() => readFile(file, "utf8").catch(() => ""), { timeout }).toBe("x\n");
    await writeFile(file, "");
    await client.delete(Pod, { namespace, name: "p" });
    await expect.poll(() => readdir(join(root, "kubelet/pods")), { timeout }).toEqual([]);
    expect(driver.last("Unpublish")).toEqual({ volume_id, target_path });
  },
);

testWith(requires("containers"))(
  "a real pod: its CSI volume grows while it runs, with the rights of its node",
  { timeout: 60_000 },
  async () => {
    const clock = movableClock();
    const node = await startRealNode({ clock });
    const { client, root, pod } = node;
    const { run, phase, eventsOf } = nodePods(node);
    const driver = await serveDriver({ folder: testFolder(), capabilities: ["EXPAND_VOLUME"] });
    const object = { attachRequired: false };
    await client.create(CSIDriver, { metadata: { name: driver.name }, spec: object } as never);
    await driver.register(join(root, "kubelet/plugins_registry"));
    await expect.poll(() => driver.outcomes, { timeout }).toEqual([""]);
    const key = { namespace, name: "data" };
    const status = async () => (await client.get(PersistentVolumeClaim, key)).status;
    const size = (storage: string) => ({ capacity: { storage } });
    const common = { accessModes: ["ReadWriteOnce"], storageClassName: "" };
    const csi = { driver: driver.name, volumeHandle: "data" };
    const bound = { "pv.kubernetes.io/bind-completed": "yes" };
    const claim = await client.create(PersistentVolumeClaim, {
      metadata: { name: "data", namespace, annotations: bound },
      spec: {
        ...{ ...common, volumeName: "disk", resources: { requests: { storage: "1Gi" } } },
      },
    } as never);
    await client.create(PersistentVolume, {
      metadata: { name: "disk" },
      spec: { ...common, ...size("1Gi"), csi, claimRef: { ...key, uid: claim.metadata.uid } },
    } as never);
    await client.patch(
      PersistentVolumeClaim,
      key,
      { merge: { status: { phase: "Bound", ...size("1Gi") } } as never },
      { subresource: "status" },
    );
    onTestFinished(async () => {
      await client.delete(Pod, { namespace, name: "p" }).catch(() => {});
      const gone = () => pod("p").then(Boolean, () => false);
      await expect.poll(gone, { timeout }).toBe(false);
    });
    await expect.poll(async () => (await status()).phase, { timeout }).toBe("Bound");
    await run("p", "true", {
      spec: {
        nodeName: node.nodeName,
        volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }],
      },
      container: { volumeMounts: [{ name: "v", mountPath: "/v" }] },
    });
    await expect.poll(() => phase("p"), { timeout }).toBe("Running");

    await client.patch(PersistentVolume, { name: "disk" }, { merge: { spec: size("2Gi") } });
    const pending = {
      allocatedResources: { storage: "2Gi" },
      allocatedResourceStatuses: { storage: "NodeResizePending" },
    };
    const merge = { status: pending } as never;
    await client.patch(PersistentVolumeClaim, key, { merge }, { subresource: "status" });
    clock.advance(120_000);
    await expect
      .poll(async () => (await status()).capacity, { timeout })
      .toEqual({ storage: "2Gi" });
    expect((await status()).allocatedResourceStatuses).toBeUndefined();
    const said =
      'FileSystemResizeSuccessful: MountVolume.NodeExpandVolume succeeded for volume "disk" node-1';
    await expect.poll(() => eventsOf("data"), { timeout }).toContain(said);
    expect(await eventsOf("p")).toContain(said);
  },
);
