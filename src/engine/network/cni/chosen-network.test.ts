import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeWith, requires } from "../../../../test/requires.ts";
import type { PodNetwork } from "../../../cri/pod-network.ts";
import { chosenNetwork } from "./chosen-network.ts";
import { pluginFolder, testPod } from "./plugin-folder.test-support.ts";

/** A network that notes what it is asked to do. */
function notingNetwork(noted: string[]): PodNetwork {
  return {
    problem: async () => "no range",
    setRange: (podCidrs) => void noted.push(`range ${podCidrs}`),
    takeOver: async (pods) => void noted.push(`takes over ${pods.length}`),
    add: async () => {
      noted.push("add");
      return ["10.1.0.2"];
    },
    remove: async () => void noted.push("remove"),
  };
}

describeWith(requires("root"))("chosenNetwork", () => {
  test("CNI connects pods while it is configured; a pod is disconnected by what has connected it", async () => {
    const folder = pluginFolder();
    folder.plugin(
      "p",
      `[ $CNI_COMMAND != ADD ] || echo '{"cniVersion":"1.0.0","ips":[{"address":"10.9.0.2/24"}]}'`,
    );
    const noted: string[] = [];
    const network = chosenNetwork(folder.network(), notingNetwork(noted));
    network.setRange?.("10.1.0.0/24");
    const [before, during, after] = [await testPod(), await testPod(), await testPod()];
    expect(await network.problem()).toBe("no range");
    expect(await network.add(before)).toEqual(["10.1.0.2"]);
    folder.configure("10-net.conf", { cniVersion: "1.0.0", name: "n", type: "p" });
    expect(await network.problem()).toBeUndefined();
    expect(await network.add(during)).toEqual(["10.9.0.2"]);
    await network.remove(before);
    const connected = [
      { ...during, ips: ["10.9.0.2"] },
      { ...before, ips: ["10.1.0.2"] },
    ];
    await chosenNetwork(folder.network(), notingNetwork(noted)).takeOver?.(connected, []);
    rmSync(join(folder.configFolder, "10-net.conf"));
    expect(await network.add(after)).toEqual(["10.1.0.2"]);
    await network.remove(during);
    expect(noted).toEqual(["range 10.1.0.0/24", "add", "remove", "takes over 1", "add"]);
    const calls = folder.calls().map(({ command, id }) => `${command} ${id === during.sandboxId}`);
    expect(calls).toEqual(["ADD true", "DEL true"]);
  });
});
