import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { mustRun, runChild } from "../../platform/run-child.ts";
import { bridgeNetwork } from "./bridge-network.ts";

testWith(requires("containers"))(
  "bridgeNetwork: pods reach each other, and a released address rests before it is used again",
  async () => {
    const root = mkdtempSync(join(tmpdir(), "wherry-bridge-"));
    const bridge = `wb${root.slice(-6).toLowerCase()}`;
    const folder = join(root, "addresses");
    const open = () => bridgeNetwork({ bridge, folder, podCidr: "10.198.8.0/29" });
    const namespace = (id: string): string => join(root, id);
    const pod = (id: string) => ({
      ...{ sandboxId: id.padEnd(16, "0"), namespace: namespace(id) },
      config: undefined as never,
    });
    const create = async (id: string): Promise<void> => {
      await mustRun("touch", [namespace(id)]);
      await mustRun("unshare", [`--net=${namespace(id)}`, "true"]);
    };
    onTestFinished(async () => {
      for (const id of ["aa", "bb"]) await runChild("umount", ["--lazy", namespace(id)]);
      await runChild("ip", ["link", "delete", bridge]);
      rmSync(root, { recursive: true, force: true });
    });
    const network = open();
    await create("aa");
    await create("bb");
    expect(await network.add(pod("aa"))).toEqual(["10.198.8.2"]);
    expect(await network.add(pod("bb"))).toEqual(["10.198.8.3"]);
    const ping = ["ping", "-c1", "-W2", "10.198.8.3"];
    await mustRun("nsenter", [`--net=${namespace("aa")}`, "busybox", ...ping]);
    // What was interrupted is done again, by another process too, with the same address.
    expect(await open().add(pod("aa"))).toEqual(["10.198.8.2"]);
    await network.remove(pod("aa"));
    expect(readdirSync(folder)).toEqual(["10.198.8.3"]);
    expect(await network.add(pod("aa"))).toEqual(["10.198.8.4"]);
    // The cluster has assigned another range.
    network.setRange?.("2001:db8::/64,10.198.8.8/29");
    await network.remove(pod("aa"));
    expect(await network.add(pod("aa"))).toEqual(["10.198.8.10"]);
  },
);

test("bridgeNetwork: without a range pods have no network yet", async () => {
  const network = bridgeNetwork({ bridge: "unused", folder: "/unused" });
  expect(await network.problem()).toBe("the node has no range of pod addresses yet");
  network.setRange?.("2001:db8::/64");
  expect(await network.problem()).toBeTruthy();
  network.setRange?.("10.198.8.0/29");
  expect(await network.problem()).toBeUndefined();
});
