import { once } from "node:events";
import { expect } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import {
  type Namespace,
  openNamespace,
  openPod,
  startAgent,
  testFolder,
  until,
} from "./namespaces.test-support.ts";

/** How many milliseconds half a megabyte takes. */
async function timeOf(from: Namespace, to: Namespace, address: string): Promise<number> {
  const listener = to.start("socat -u TCP4-LISTEN:80,reuseaddr OPEN:/dev/null");
  const closed = once(listener, "exit");
  await until(to, "cat /proc/net/tcp", (text) => text.includes(":0050 00000000:0000 0A"));
  const start = performance.now();
  await from.run(`head -c 500000 /dev/zero | socat -u - TCP4:${address}:80`);
  await closed;
  return performance.now() - start;
}

testWith(requires("containers", "nft"))(
  "routedNetwork: annotations limit the bandwidth to and from a pod",
  async () => {
    const node = await openNamespace();
    const folder = `${testFolder()}/addresses`;
    const agent = await startAgent(node, { folder, podCidr: "10.1.2.0/24" });
    const [limited, free] = await Promise.all([
      openPod(1, {
        annotations: {
          "kubernetes.io/ingress-bandwidth": "4M",
          "kubernetes.io/egress-bandwidth": "2M",
        },
      }),
      openPod(2),
    ]);
    await agent.add(limited);
    await agent.add(free);
    await node.run("ip addr add 192.0.2.1/32 dev lo");
    // 4 megabits at 4 and at 2 megabits per second.
    const toPod = await timeOf(free.at, limited.at, "10.1.2.2");
    expect(toPod).toBeGreaterThan(700);
    expect(toPod).toBeLessThan(1800);
    const fromPod = await timeOf(limited.at, free.at, "10.1.2.3");
    expect(fromPod).toBeGreaterThan(1500);
    expect(fromPod).toBeLessThan(3500);
    expect(await timeOf(node, free.at, "10.1.2.3")).toBeLessThan(700);
    await agent.remove(limited);
    expect(await node.run("ip -oneline link show group 87")).not.toContain("00000001");
    const invalid = {
      ...limited,
      config: { ...limited.config, annotations: { "kubernetes.io/ingress-bandwidth": "1" } },
    };
    await expect(agent.add(invalid)).rejects.toThrow("resource is unreasonably small (< 1kbit)");
  },
  30_000,
);
