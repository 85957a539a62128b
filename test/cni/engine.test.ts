import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { pluginFolder, testPod } from "../../src/engine/network/cni/plugin-folder.test-support.ts";
import { mustRun, runChild } from "../../src/platform/run-child.ts";
import { projectRoot } from "../project.ts";
import { describeWith, requires } from "../requires.ts";
import { debianPlugins, installPlugins } from "./cni-node.test-support.ts";

describeWith(requires("root", "cniPlugins"))("our engine's network, by plugins", () => {
  const bridge = `whmini${process.pid % 10_000}`;
  const removeBridge = (): void =>
    onTestFinished(async () => {
      await runChild("ip", ["link", "delete", bridge]);
    });

  test("minicni, a shell script: pods reach each other, and their addresses are free again", async () => {
    const folder = pluginFolder();
    removeBridge();
    const bin = join(folder.root, "mini");
    mkdirSync(bin);
    copyFileSync(join(projectRoot, "test", "cni", "minicni"), join(bin, "minicni"));
    const store = join(folder.root, "addresses");
    folder.configure("10-minicni.conf", {
      ...{ cniVersion: "0.4.0", name: "minicni", type: "minicni", bridge, mtu: 1400 },
      ...{ subnet: "10.195.1.0/24", store },
    });
    const network = folder.network({ pluginFolders: [bin] });
    const pods = [await testPod(), await testPod()];
    const addresses = await Promise.all(pods.map((pod) => network.add(pod)));
    expect(addresses.flat().sort()).toEqual(["10.195.1.2", "10.195.1.3"]);
    const [from] = pods;
    await mustRun("nsenter", [
      `--net=${from?.namespace}`,
      ...["busybox", "ping", "-c1", "-W2", addresses[1]?.[0] ?? ""],
    ]);
    for (const pod of pods) {
      expect(await network.check(pod.sandboxId)).toBeUndefined();
      await network.remove(pod);
    }
    expect(readFileSync(store, "utf8")).toBe("");
    const full = Array.from({ length: 253 }, (_, i) => `${i + 2} x\n`).join("");
    writeFileSync(store, full);
    await expect(network.add(pods[0] ?? (await testPod()))).rejects.toThrow(
      'plugin type="minicni" name="minicni" failed (add): no IP available',
    );
  });

  for (const whose of ["Debian's", "our"])
    test(`${whose} plugins in a chain, in both families`, async () => {
      const folder = pluginFolder();
      removeBridge();
      const installed = await installPlugins();
      onTestFinished(() => installed.remove());
      const ranges = [[{ subnet: "10.195.2.0/24" }], [{ subnet: "fd00:195::/64" }]];
      const ipam = { type: "host-local", dataDir: join(folder.root, "ipam"), ranges };
      folder.configure("10-net.conflist", {
        ...{ cniVersion: "1.0.0", cniVersions: ["0.4.0", "1.1.0"], name: bridge },
        plugins: [
          { type: "bridge", bridge, ipam },
          whose === "our" ? { type: "loopback" } : { type: "tuning", mtu: 1400 },
        ],
      });
      const network = folder.network({
        pluginFolders: whose === "our" ? [installed.folder] : [debianPlugins],
      });
      const pod = await testPod();
      expect(await network.problem()).toBeUndefined();
      expect(await network.add(pod)).toEqual(["10.195.2.2", "fd00:195::2"]);
      expect(await network.check(pod.sandboxId)).toBeUndefined();
      await mustRun("ip", ["-n", pod.config.metadata.name, "link", "delete", "eth0"]);
      expect(await network.check(pod.sandboxId)).toContain("failed (check): ");
      await network.remove(pod);
      await network.remove(pod);
      await network.takeOver([], []);
    });
});
