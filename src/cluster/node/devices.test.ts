import { join } from "node:path";
import { expect } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { testImage } from "../../engine/engine.test-support.ts";
import { serveDevicePlugin } from "../../kubelet/host/devices/device-plugin.test-support.ts";
import { startRealNode } from "./real-node.test-support.ts";

const resource = "example.com/dev";

testWith(requires("containers"))(
  "startNode: real containers get the devices of plugins",
  async () => {
    const { root, client, nodeName, pod } = await startRealNode();
    const plugin = await serveDevicePlugin({
      ...{ folder: join(root, "kubelet", "device-plugins"), resource, devices: "one !two" },
      respond: (ids) => ({
        envs: { DEVICES: ids.join(",") },
        devices: [{ container_path: "/dev/thing", host_path: "/dev/zero", permissions: "r" }],
        mounts: [{ container_path: "/host-name", host_path: "/etc/hostname", read_only: true }],
      }),
    });
    await plugin.register();
    const amounts = async () => {
      const { capacity, allocatable } = (await client.get(Node, { name: nodeName })).status;
      return [capacity?.[resource], allocatable?.[resource]];
    };
    await expect.poll(amounts, { timeout: 20_000, interval: 500 }).toEqual(["2", "1"]);
    const run = (name: string, count: number, more: object = {}) =>
      client.create(Pod, {
        metadata: { name, namespace: "default" },
        spec: {
          restartPolicy: "Never",
          containers: [
            {
              ...{
                name: "c",
                image: testImage,
                resources: { limits: { [resource]: String(count) } },
              },
              command: ["sh", "-c"],
              args: [
                "test -f /host-name; echo $? $(DEVICES) $(head -c 2 /dev/thing | od -An -tx1) > /dev/termination-log",
              ],
            },
          ],
          ...more,
        },
      } as never);
    await run("fits", 1);
    const ended = async (name: string) => {
      const { status } = await pod(name);
      const terminated = status.containerStatuses?.[0]?.state?.terminated;
      return [status.phase, status.reason, status.message ?? terminated?.message?.trim()];
    };
    await expect
      .poll(() => ended("fits"), { timeout: 20_000, interval: 200 })
      .toEqual(["Succeeded", undefined, "0 one 00 00"]);
    await run("too-large", 2, { nodeName });
    await expect
      .poll(() => ended("too-large"), { timeout: 20_000, interval: 200 })
      .toEqual([
        "Failed",
        "UnexpectedAdmissionError",
        "Pod was rejected: Allocate failed due to requested number of devices unavailable for example.com/dev. Requested: 2, Available: 1, which is unexpected",
      ]);
    expect(plugin.calls).toEqual(["allocate one"]);
  },
  90_000,
);
