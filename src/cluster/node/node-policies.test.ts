import { expect, onTestFinished } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { NetworkPolicy } from "../../api/networking/v1/network-policy.ts";
import { testImage } from "../../engine/engine.test-support.ts";
import { type RealNode, startRealNode } from "./real-node.test-support.ts";

testWith(requires("containers", "nft"))(
  "startNode: a policy holds for pods that run, and for new ones from their first moment",
  async () => {
    const node = await startRealNode({ network: ["policies"] });
    onTestFinished(() => deleteAll(node), 30_000);
    const { client } = node;
    await run(node, "server", { command: ["httpd", "-f", "-p", "8080", "-h", "/bin"] });
    const server = await address(node, "server");
    await client.create(NetworkPolicy, {
      metadata: { namespace: "default", name: "server" },
      spec: {
        podSelector: { matchLabels: { app: "server" } },
        ingress: [{ from: [{ podSelector: { matchLabels: { app: "friend" } } }] }],
      },
    });
    await client.create(NetworkPolicy, {
      metadata: { namespace: "default", name: "prisoner" },
      spec: { podSelector: { matchLabels: { app: "prisoner" } }, policyTypes: ["Egress"] },
    });
    const fetches = {
      command: ["sh", "-c", `nc -w 2 ${server} 8080 < /dev/null`],
    };
    // By then the policies hold, too: an isolated pod does not start before its policies.
    await run(node, "prisoner", fetches);
    await expect.poll(() => ended(node, "prisoner"), polling).toBe(1);
    await run(node, "stranger", fetches);
    await expect.poll(() => ended(node, "stranger"), polling).toBe(1);
    await run(node, "friend", fetches);
    await expect.poll(() => ended(node, "friend"), polling).toBe(0);
  },
  120_000,
);

const polling = { timeout: 30_000, interval: 100 };

const run = ({ client }: RealNode, name: string, container: object): Promise<Pod> =>
  client.create(Pod, {
    metadata: { name, namespace: "default", labels: { app: name } },
    spec: {
      restartPolicy: "Never",
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          ...{ name: "c", image: testImage, ...container },
          ...(name === "server" && {
            readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
          }),
        },
      ],
    },
  } as never);

/** The address of a pod that is ready. */
async function address(node: RealNode, name: string): Promise<string> {
  const ready = async () =>
    (await node.pod(name)).status.containerStatuses?.[0]?.ready ? "ready" : "not ready";
  await expect.poll(ready, polling).toBe("ready");
  return (await node.pod(name)).status.podIP ?? "";
}

/** The exit code of a pod's container. */
const ended = async (node: RealNode, name: string): Promise<number | undefined> =>
  (await node.pod(name)).status.containerStatuses?.[0]?.state?.terminated?.exitCode;

async function deleteAll({ client }: RealNode): Promise<void> {
  const pods = async () => (await client.list(Pod, { namespace: "default" })).items;
  for (const { metadata } of await pods())
    await client.delete(Pod, { namespace: "default", name: metadata.name ?? "" });
  await expect.poll(async () => (await pods()).length, { timeout: 20_000 }).toBe(0);
}
