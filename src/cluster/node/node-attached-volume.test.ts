import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { nodePods } from "../../../test/node-faults/node-pods.test-support.ts";
import { requires, testWith } from "../../../test/requires.ts";
import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { csiUniqueName } from "../../api/core/v1/volume/csi-volume-key.ts";
import { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { VolumeAttachment } from "../../api/storage/v1/volume-attachment.ts";
import type { Client } from "../../client/client.ts";
import { createInformers } from "../../client/informer/informers.ts";
import { testFolder } from "../../kubelet/host/plugins/plugin.test-support.ts";
import { serveDriver } from "../../kubelet/host/volumes/csi/csi-driver.test-support.ts";
import { realClock } from "../../platform/real-clock.ts";
import { systemRandom } from "../../platform/system-entropy.ts";
import { startRealNode } from "./real-node.test-support.ts";

const timeout = 30_000;
const namespace = "default";
const finalizers = ["external-attacher/csi-example-com"];

/** Does what external-attacher does, at once: it attaches what is asked for, and detaches what is deleted. */
function attacher(client: Client, does: (what: "attach" | "detach") => void): void {
  const informers = createInformers({ client, clock: realClock, random: systemRandom });
  const attachments = informers.of(VolumeAttachment);
  const work = async (attachment: VolumeAttachment): Promise<void> => {
    const { metadata, status } = attachment;
    if (metadata.deletionTimestamp) {
      does("detach");
      await client.update(VolumeAttachment, {
        ...attachment,
        metadata: { ...metadata, finalizers: [] },
      } as never);
    } else if (!metadata.finalizers) {
      const changed = { ...attachment, metadata: { ...metadata, finalizers } };
      await client.update(VolumeAttachment, changed as never);
    } else if (!status?.attached) {
      does("attach");
      const changed = {
        ...attachment,
        status: { attached: true, attachmentMetadata: { lun: "7" } },
      };
      await client.update(VolumeAttachment, changed as never, { subresource: "status" });
    }
  };
  const changed = (attachment: VolumeAttachment): void => void work(attachment).catch(() => {});
  attachments.addHandler({ added: changed, updated: changed });
  onTestFinished(() => informers.close());
}

testWith(requires("containers"))(
  "a real pod: its CSI volume is attached before it is mounted, and detached after it was unmounted",
  { timeout: 90_000 },
  async () => {
    const node = await startRealNode();
    const { client, root, pod, nodeName } = node;
    const { run, phase, eventsOf } = nodePods(node);
    const driver = await serveDriver({ folder: testFolder() });
    const steps: string[] = [];
    attacher(client, (what) => steps.push(`${what} after ${driver.called.join()}`));
    await driver.register(join(root, "kubelet/plugins_registry"));
    await expect.poll(() => driver.outcomes, { timeout }).toEqual([""]);
    const common = { accessModes: ["ReadWriteOnce"], storageClassName: "" };
    await client.create(PersistentVolume, {
      metadata: { name: "disk" },
      spec: {
        ...{ ...common, capacity: { storage: "1Gi" } },
        csi: { driver: driver.name, volumeHandle: "d1" },
      },
    } as never);
    await client.create(PersistentVolumeClaim, {
      metadata: { name: "data", namespace },
      spec: { ...common, volumeName: "disk", resources: { requests: { storage: "1Gi" } } },
    } as never);
    onTestFinished(async () => {
      await client.delete(Pod, { namespace, name: "p" }).catch(() => {});
      const gone = () => pod("p").then(Boolean, () => false);
      await expect.poll(gone, { timeout }).toBe(false);
    });
    await run("p", "echo x > /v/f", {
      spec: { nodeName, volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }] },
      container: { volumeMounts: [{ name: "v", mountPath: "/v" }] },
    });
    await expect.poll(() => phase("p"), { timeout }).toBe("Running");
    expect(driver.last("Publish")).toMatchObject({ publish_context: { lun: "7" } });
    const file = join(driver.content("d1"), "f");
    await expect.poll(() => readFile(file, "utf8").catch(() => ""), { timeout }).toBe("x\n");
    expect(await eventsOf("p")).toContain(
      'SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "disk" ',
    );
    const name = csiUniqueName({ driver: driver.name, handle: "d1" });
    const status = async () => (await client.get(Node, { name: nodeName })).status;
    expect(await status()).toMatchObject({
      volumesInUse: [name],
      volumesAttached: [{ name, devicePath: "" }],
    });
    await client.delete(Pod, { namespace, name: "p" });
    const attachments = async () => (await client.list(VolumeAttachment)).items.length;
    await expect.poll(attachments, { timeout }).toBe(0);
    expect(steps).toEqual(["attach after ", "detach after Publish,Unpublish"]);
    const left = async () => (await status()).volumesAttached ?? [];
    await expect.poll(left, { timeout }).toEqual([]);
  },
);
