import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { Event } from "../../api/core/v1/event/event.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import {
  describeCdiDevice,
  serveClaimDriver,
} from "../../kubelet/host/claims/claim-driver.test-support.ts";
import { testFolder } from "../../kubelet/host/plugins/plugin.test-support.ts";
import { pluginClient } from "../../kubelet/host/plugins/plugin-client.ts";
import { podResourcesMethods } from "../../kubelet/host/resources/pod-resources-service.ts";
import { bind, createClaim, createPod } from "./node-claims.test-support.ts";
import { startRealNode } from "./real-node.test-support.ts";

const poll = { timeout: 30_000, interval: 200 };
const namespace = "default";
const driver = "dra.example.com";

testWith(requires("containers"))(
  "a real pod: its container gets a variable and a device of a claim",
  async () => {
    const { root, client, nodeName, pod } = await startRealNode();
    const cdi = describeCdiDevice("one", {
      env: ["CLAIMED=yes"],
      deviceNodes: [{ path: "/dev/claimed", hostPath: "/dev/zero", permissions: "r" }],
    });
    const plugin = await serveClaimDriver({ folder: testFolder(), cdiDevices: [cdi] });
    await plugin.register(join(root, "kubelet/plugins_registry"));
    await expect.poll(() => plugin.outcomes, poll).toEqual([""]);
    await plugin.tell([
      { device: { pool_name: "pool", device_name: "device-mine" }, health: "HEALTHY" },
    ]);
    const script =
      "echo $CLAIMED $(head -c 2 /dev/claimed | od -An -tx1) > /dev/termination-log; trap 'exit 0' TERM; sleep 1000 & wait";
    const created = await createPod(client, "p", "mine", script);
    const claim = await createClaim(client, "mine", { driver, pods: [created] });
    await bind(client, "p", nodeName);
    const health = async () => {
      const [status] = (await pod("p")).status.containerStatuses ?? [];
      return [status?.ready, status?.allocatedResourcesStatus];
    };
    await expect
      .poll(health, poll)
      .toEqual([
        true,
        [{ name: "claim:mine", resources: [{ resourceID: cdi, health: "Healthy" }] }],
      ]);
    expect(plugin.calls).toEqual(["prepare mine"]);
    const lister = pluginClient(join(root, "kubelet/pod-resources/kubelet.sock"));
    const { pod_resources: listed } = await lister
      .call(podResourcesMethods.list, {})
      .finally(() => lister.close());
    expect(listed[0]?.containers[0]?.dynamic_resources).toEqual([
      {
        ...{ claim_name: "mine", claim_namespace: namespace },
        claim_resources: [
          {
            ...{ driver_name: driver, pool_name: "pool", device_name: "device-mine" },
            ...{ share_id: undefined, cdi_devices: [{ name: cdi }] },
          },
        ],
      },
    ]);
    const stored = readFileSync(join(root, "kubelet/dra_manager_state"), "utf8");
    expect(stored).toContain(claim.metadata.uid);

    await client.delete(Pod, { namespace, name: "p" });
    await expect.poll(() => pod("p").then(Boolean, () => false), poll).toBe(false);
    expect(plugin.calls).toEqual(["prepare mine", "unprepare mine"]);
    expect(readFileSync(join(root, "kubelet/dra_manager_state"), "utf8")).toContain(
      '\\"ClaimInfoStateList\\":null',
    );
    const { items } = await client.list(Event, { namespace });
    expect(items.filter(({ type }) => type === "Warning")).toEqual([]);
  },
  90_000,
);
