import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { describeWith, requires } from "../../../test/requires.ts";
import { Event } from "../../api/core/v1/event/event.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { ResourceSlice } from "../../api/resource/v1/resource-slice.ts";
import {
  serveClaimDriver,
  type TestClaimDriver,
} from "../../kubelet/host/claims/claim-driver.test-support.ts";
import { testFolder } from "../../kubelet/host/plugins/plugin.test-support.ts";
import { bind, createClaim, createPod } from "./node-claims.test-support.ts";
import { type RealNode, startRealNode } from "./real-node.test-support.ts";

const poll = { timeout: 40_000, interval: 200 };
const namespace = "default";
const sleeping = "trap 'exit 0' TERM; sleep 1000 & wait";

const registryOf = ({ root }: RealNode): string => join(root, "kubelet/plugins_registry");
const phaseOf = async ({ pod }: RealNode, name: string) => (await pod(name)).status.phase;
const remove = ({ client }: RealNode, name: string) => client.delete(Pod, { namespace, name });
const exists = ({ pod }: RealNode, name: string) =>
  pod(name).then(
    () => true,
    () => false,
  );

/** Binds a pod with a claim of its own, which is named like it. */
async function runPod(
  { client, nodeName }: RealNode,
  name: string,
  { driver, script = sleeping }: { readonly driver: string; readonly script?: string },
): Promise<void> {
  const created = await createPod(client, name, name, script);
  await createClaim(client, name, { driver, pods: [created] });
  await bind(client, name, nodeName);
}

/** The messages of failures to prepare claims of a pod. */
async function failuresOf({ client }: RealNode, name: string): Promise<readonly string[]> {
  const { items } = await client.list(Event, { namespace });
  return items
    .filter((event) => event.involvedObject.name === name)
    .filter(({ type, reason }) => type === "Warning" && reason === "FailedPrepareDynamicResources")
    .map(({ message }) => message ?? "");
}

const words = "Failed to prepare dynamic resources: prepare dynamic resources: ";

describeWith(requires("containers"))("a real pod with a claim", () => {
  test("it waits for its driver, until preparing succeeds, and ends after unpreparing", async () => {
    const node = await startRealNode();
    const driver = await serveClaimDriver({ folder: testFolder() });
    driver.errors.set("prepare p", "no room");
    await runPod(node, "p", { driver: driver.name });
    const missing = `${words}DRA driver ${driver.name} is not registered`;
    await expect.poll(() => failuresOf(node, "p"), poll).toContain(missing);
    await driver.register(registryOf(node));
    const failed = `${words}NodePrepareResources failed for ResourceClaim p: no room`;
    await expect.poll(() => failuresOf(node, "p"), poll).toContain(failed);
    expect(await phaseOf(node, "p")).toBe("Pending");
    driver.errors.clear();
    await expect.poll(() => phaseOf(node, "p"), poll).toBe("Running");
    const prepared = driver.calls.length;

    driver.errors.set("unprepare p", "busy");
    await remove(node, "p");
    await expect.poll(() => driver.calls.slice(prepared), poll).toContain("unprepare p");
    // Its claim is still in use: nothing says that it has ended.
    expect(await exists(node, "p")).toBe(true);
    expect(await phaseOf(node, "p")).toBe("Running");
    driver.errors.clear();
    await expect.poll(() => exists(node, "p"), poll).toBe(false);
    expect(new Set(driver.calls)).toEqual(new Set(["prepare p", "unprepare p"]));

    // Neither does it if its containers end by themselves.
    driver.errors.set("unprepare q", "busy");
    await runPod(node, "q", { driver: driver.name, script: "exit 0" });
    await expect.poll(() => driver.calls, poll).toContain("unprepare q");
    expect(["Pending", "Running"]).toContain(await phaseOf(node, "q"));
    driver.errors.clear();
    await expect.poll(() => phaseOf(node, "q"), poll).toBe("Succeeded");
  }, 120_000);

  test("an agent that ended while its claim was prepared starts it, and one later does not prepare again", async () => {
    const node = await startRealNode();
    const driver = await serveClaimDriver({ folder: testFolder() });
    await driver.register(registryOf(node));
    await expect.poll(() => driver.outcomes, poll).toEqual([""]);
    let answer = (): void => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    onTestFinished(() => answer());
    driver.holds.set("prepare", held);
    await runPod(node, "p", { driver: driver.name });
    await expect.poll(() => driver.calls, poll).toEqual(["prepare p"]);
    await node.restartNode();
    driver.holds.clear();
    await expect.poll(() => phaseOf(node, "p"), poll).toBe("Running");
    const calls = ["prepare p", "prepare p"];
    expect(driver.calls).toEqual(calls);

    const slice = {
      metadata: { name: "s" },
      spec: {
        ...{ nodeName: node.nodeName, driver: driver.name, devices: [{ name: "d" }] },
        pool: { name: "pool", resourceSliceCount: 1, generation: 1 },
      },
    };
    await node.client.create(ResourceSlice, slice as never);
    await node.restartNode();
    await expect.poll(() => driver.outcomes, poll).toEqual(["", "", ""]);
    // A kubelet that starts deletes the slices of its node, as the node.
    const slices = async () => (await node.client.list(ResourceSlice)).items.length;
    await expect.poll(slices, poll).toBe(0);
    expect(await phaseOf(node, "p")).toBe("Running");
    expect(driver.calls).toEqual(calls);
    await remove(node, "p");
    await expect.poll(() => exists(node, "p"), poll).toBe(false);
    expect(driver.calls).toEqual([...calls, "unprepare p"]);
  }, 120_000);

  test("its claim is unprepared when its driver is back, also if the pod was deleted meanwhile", async () => {
    const node = await startRealNode();
    const folder = testFolder();
    const serve = async (): Promise<TestClaimDriver> => {
      const driver = await serveClaimDriver({ folder });
      await driver.register(registryOf(node));
      await expect.poll(() => driver.outcomes, poll).toEqual([""]);
      return driver;
    };
    const first = await serve();
    for (const name of ["p", "q"]) await runPod(node, name, { driver: first.name });
    for (const name of ["p", "q"])
      await expect.poll(() => phaseOf(node, name), poll).toBe("Running");
    await first.close();
    await remove(node, "p");
    await node.client.delete(Pod, { namespace, name: "q" }, { gracePeriodSeconds: 0 });
    const { runtime } = node.kubelet;
    const running = async () => (await runtime.listContainers({ state: "running" })).length;
    await expect.poll(running, poll).toBe(0);
    expect(await exists(node, "p")).toBe(true);
    await node.restartNode();
    const second = await serve();
    await expect.poll(() => [...second.calls].sort(), poll).toEqual(["unprepare p", "unprepare q"]);
    await expect.poll(() => exists(node, "p"), poll).toBe(false);
  }, 120_000);
});
