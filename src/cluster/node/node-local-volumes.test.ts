import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { expect, onTestFinished } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { testImage } from "../../engine/engine.test-support.ts";
import { runChild } from "../../platform/run-child.ts";
import { startRealNode } from "./real-node.test-support.ts";

const timeout = 30_000;
const namespace = "default";

testWith(requires("containers", "kubectl"))(
  "a claim of the default class keeps its data while pods come and go, and the node removes it with the claim",
  async () => {
    const { client, kubeconfig, pod, restartNode } = await startRealNode();
    const sh = async (script: string): Promise<string> => {
      const args = ["--kubeconfig", kubeconfig, "exec", "p", "--", "sh", "-c", script];
      return (await runChild("kubectl", args)).stdout;
    };
    const run = async (): Promise<void> => {
      await client.create(Pod, {
        metadata: { name: "p", namespace },
        spec: {
          terminationGracePeriodSeconds: 1,
          securityContext: { runAsUser: 1000 },
          containers: [
            {
              ...{ name: "c", image: testImage, command: ["sleep", "1000"] },
              volumeMounts: [{ name: "v", mountPath: "/v" }],
            },
          ],
          volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }],
        },
      });
      await expect.poll(async () => (await pod("p")).status.phase, { timeout }).toBe("Running");
    };
    const remove = async (): Promise<void> => {
      await client.delete(Pod, { namespace, name: "p" }).catch(() => {});
      const gone = () => pod("p").then(Boolean, () => false);
      await expect.poll(gone, { timeout }).toBe(false);
    };
    onTestFinished(remove);
    await client.create(PersistentVolumeClaim, {
      metadata: { name: "data", namespace },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    });
    await run();
    const { volumeName = "" } = (
      await client.get(PersistentVolumeClaim, { namespace, name: "data" })
    ).spec;
    const path = `/var/lib/wherry/volumes/${volumeName}`;
    onTestFinished(() => rm(path, { recursive: true, force: true }));
    expect(existsSync(path)).toBe(true);
    await sh("echo kept > /v/file");
    await remove();
    await restartNode();
    await run();
    expect(await sh("cat /v/file")).toBe("kept\n");
    await client.delete(PersistentVolumeClaim, { namespace, name: "data" });
    const { metadata } = await client.get(PersistentVolume, { name: volumeName });
    expect(metadata.finalizers).toContain("wherry.io/local-data");
    await remove();
    const volumes = async () => (await client.list(PersistentVolume)).items.length;
    await expect.poll(volumes, { timeout }).toBe(0);
    expect(existsSync(path)).toBe(false);
  },
  120_000,
);
