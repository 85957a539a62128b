import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
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
