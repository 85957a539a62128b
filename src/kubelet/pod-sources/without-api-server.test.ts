import { expect, test } from "vitest";
import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { startStaticNode } from "./static-node.test-support.ts";

const probed = {
  annotations: { "wherry.dev/liveness-fails": "30s-40s" },
  container: { livenessProbe: { tcpSocket: { port: 80 }, periodSeconds: 1, failureThreshold: 1 } },
};

test("a kubelet that restarts without its API server leaves containers alone, and probes static pods", async () => {
  const node = await startStaticNode();
  await node.write(probed);
  const spec = { nodeName: "node-1", containers: [{ name: "job", image: "nginx" }] };
  for (const name of ["stays", "goes"])
    await node.client.create(Pod, { metadata: { name }, spec } as never);
  await node.settled();
  const before = await node.running();
  expect(before).toHaveLength(3);
  const heal = node.disconnect();
  await node.restart();
  await node.write(probed);
  await node.client.delete(Pod, { name: "goes" }, { gracePeriodSeconds: 0 });
  await node.advance("20s");
  expect(await node.running()).toEqual(before);
  expect(node.kubelet().pods()).toHaveLength(1);
  await node.advance("20s");
  const statuses = node.kubelet().pod("default", "web-node-1")?.status.containerStatuses;
  expect(statuses).toMatchObject([{ restartCount: 1 }]);
  expect((await node.mirror()).status.containerStatuses).toMatchObject([{ restartCount: 0 }]);
  heal();
  await node.advance("15s");
  expect(await node.running()).toHaveLength(2);
  expect((await node.mirror()).status.containerStatuses).toMatchObject([{ restartCount: 1 }]);
  const left = await node.client.get(Pod, { name: "stays" });
  expect(left.status.containerStatuses).toMatchObject([{ restartCount: 0, ready: true }]);
});

test("a node that starts without its API server registers later, and then shows its static pods", async () => {
  const node = await startStaticNode();
  await node.write();
  await node.client.delete(Node, { name: "node-1" });
  const heal = node.disconnect();
  await node.restart();
  await node.write({});
  await node.advance("10m");
  expect(await node.running()).toHaveLength(1);
  heal();
  await node.advance("1m");
  expect((await node.mirror()).status.phase).toBe("Running");
});

test("a standalone kubelet runs static pods, and nothing of it is in the API", async () => {
  const node = await startStaticNode({ connected: false });
  await node.write({ spec: { hostNetwork: true } }, { name: "big", container: tooBig });
  await node.advance("1m");
  expect(await node.running()).toHaveLength(1);
  const { kubelet } = node;
  expect(kubelet().pod("default", "web-node-1")?.status).toMatchObject({
    phase: "Running",
    hostIP: "10.89.0.1",
    containerStatuses: [{ ready: true }],
  });
  expect(kubelet().pod("default", "big-node-1")?.status.reason).toBe("UnexpectedAdmissionError");
  expect((await node.client.list(Pod)).items).toEqual([]);
  expect((await node.client.list(Node)).items).toEqual([]);
  expect(await node.eventsOf("web-node-1")).toEqual([]);
  await node.write();
  await node.advance("1s");
  expect(await node.runtime.listPodSandboxes()).toEqual([]);
});

const tooBig = { resources: { requests: { cpu: "64" } } };
