import { expect, test } from "vitest";
import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { kubeletApi } from "../api/kubelet-api.ts";
import { startStaticNode } from "./static-node.test-support.ts";

const uidOf = (running: readonly string[]): string | undefined => running[0]?.split("/")[0];

test("a static pod runs, and a mirror pod that the node owns shows it in the API", async () => {
  const node = await startStaticNode();
  await node.write({});
  const [pod] = node.kubelet().pods();
  const { uid = "" } = pod?.metadata ?? {};
  expect(uid).toMatch(/^[0-9a-f]{32}$/);
  const owner = await node.client.get(Node, { name: "node-1" });
  const mirror = await node.mirror();
  expect(mirror.metadata).toMatchObject({
    namespace: "default",
    annotations: {
      "kubernetes.io/config.hash": uid,
      "kubernetes.io/config.mirror": uid,
      "kubernetes.io/config.seen": "2026-01-01T00:00:00Z",
      "kubernetes.io/config.source": "file",
    },
    ownerReferences: [
      { apiVersion: "v1", kind: "Node", name: "node-1", uid: owner.metadata.uid, controller: true },
    ],
  });
  expect(mirror.metadata.uid).not.toBe(uid);
  expect(mirror.spec).toMatchObject({
    nodeName: "node-1",
    tolerations: [{ operator: "Exists", effect: "NoExecute" }],
  });
  expect(mirror.spec.serviceAccountName).toBeUndefined();
  expect(mirror.status).toMatchObject({ phase: "Running", containerStatuses: [{ ready: true }] });
  expect(uidOf(await node.running())).toBe(uid);
  expect(node.kubelet().pod("default", "web-node-1")).toMatchObject({
    metadata: { uid },
    status: { phase: "Running" },
  });
});

test("the kubelet's API finds a static pod by its own UID and by that of its mirror pod", async () => {
  const node = await startStaticNode();
  await node.write({});
  const handle = kubeletApi({ kubeletFor: node.kubelet, clock: node.clock });
  const send = (method: string, path: string) =>
    handle({
      ...{ method, path, query: new URLSearchParams(), headers: {} },
      signal: new AbortController().signal,
    });
  const statusFor = async (uid = "") =>
    (await send("POST", `/portForward/default/web-node-1/${uid}`)).status;
  const [pod] = node.kubelet().pods();
  const uids = [pod?.metadata.uid, (await node.mirror()).metadata.uid, "other"];
  // A request that is no stream is rejected after the pod was found.
  expect(await Promise.all(uids.map(statusFor))).toEqual([400, 400, 404]);
  expect((await send("GET", "/pods")).body).toContain(`"uid":"${uids[0]}"`);
});

test("a deleted mirror pod is created again, and its static pod runs on", async () => {
  const node = await startStaticNode();
  await node.write({});
  const before = await node.running();
  const { uid } = (await node.mirror()).metadata;
  for (const gracePeriodSeconds of [30, 0]) {
    await node.client.delete(Pod, { name: "web-node-1" }, { gracePeriodSeconds });
    await node.settled();
    const mirror = await node.mirror();
    expect(mirror.metadata.deletionTimestamp).toBeUndefined();
    expect(mirror.metadata.uid).not.toBe(uid);
    expect(mirror.status.phase).toBe("Running");
  }
  expect(await node.running()).toEqual(before);
});

test("a changed static pod starts after the pod that it replaces has ended", async () => {
  const node = await startStaticNode();
  await node.write({ annotations: { "wherry.dev/stop-delay": "5s" } });
  const [first = ""] = await node.running();
  const before = await node.mirror();
  await node.write({ image: "nginx:2" });
  await node.advance("4s");
  expect(await node.running()).toEqual([first]);
  expect((await node.mirror()).metadata.uid).toBe(before.metadata.uid);
  expect(node.kubelet().pods()).toHaveLength(2);
  await node.advance("2s");
  const [second = "", ...more] = await node.running();
  expect(more).toEqual([]);
  expect(uidOf([second])).not.toBe(uidOf([first]));
  const mirror = await node.mirror();
  expect(mirror.spec.containers[0]?.image).toBe("nginx:2");
  expect(mirror.status.phase).toBe("Running");
  expect(mirror.metadata.annotations?.["kubernetes.io/config.mirror"]).toBe(uidOf([second]));
  expect(node.kubelet().pods()).toHaveLength(1);
});

test("of several changes while the old pod ends, only the last one runs", async () => {
  const node = await startStaticNode();
  await node.write({ annotations: { "wherry.dev/stop-delay": "5s" } });
  await node.write({ image: "nginx:2" });
  await node.write({ image: "nginx:3" });
  await node.advance("6s");
  const containers = await node.runtime.listContainers();
  expect(containers.map(({ image }) => image)).toEqual(["docker.io/library/nginx:3"]);
});

test("a static pod without its file ends in its grace period, then its mirror pod goes", async () => {
  const node = await startStaticNode();
  await node.write({ annotations: { "wherry.dev/stop-delay": "5s" } });
  await node.write();
  await node.advance("4s");
  expect(await node.running()).toHaveLength(1);
  expect((await node.mirror()).status.phase).toBe("Running");
  await node.advance("2s");
  expect(await node.runtime.listPodSandboxes()).toEqual([]);
  await expect(node.mirror()).rejects.toMatchObject({ reason: "NotFound" });
  expect(node.kubelet().pods()).toEqual([]);
  expect(await node.eventsOf("web-node-1")).toContain("Killing: Stopping container web");
});

test("a static pod with a fixed UID restarts when its file comes back, and follows changes of it", async () => {
  const node = await startStaticNode();
  const uid = "11111111-2222-3333-4444-555555555555";
  await node.write({ uid, annotations: { "wherry.dev/stop-delay": "5s" } });
  const [first = ""] = await node.running();
  await node.write();
  await node.write({ uid });
  await node.advance("6s");
  const [second = ""] = await node.running();
  expect([uidOf([first]), uidOf([second])]).toEqual([uid, uid]);
  expect(second).not.toBe(first);
  await node.write({ uid, image: "nginx:2" });
  await node.advance("1s");
  const images = (await node.runtime.listContainers({ state: "running" })).map(
    ({ image }) => image,
  );
  expect(images).toEqual(["docker.io/library/nginx:2"]);
});

test("a static pod that does not fit is rejected, and its mirror pod says so", async () => {
  const node = await startStaticNode();
  await node.write({ container: { resources: { requests: { cpu: "64" } } } });
  expect((await node.mirror()).status).toMatchObject({
    phase: "Failed",
    reason: "UnexpectedAdmissionError",
  });
  await node.write();
  await expect(node.mirror()).rejects.toMatchObject({ reason: "NotFound" });
});

test("mirror pods without a static pod are deleted, but not before all sources were read", async () => {
  const node = await startStaticNode();
  await node.write({}, { name: "api" });
  await node.restart();
  expect((await node.mirror("api")).status.phase).toBe("Running");
  expect(await node.running()).toHaveLength(2);
  await node.write({});
  await node.advance("2s");
  await expect(node.mirror("api")).rejects.toMatchObject({ reason: "NotFound" });
  expect(await node.running()).toHaveLength(1);
});

test("a pod of the API does not become static by its annotations", async () => {
  const node = await startStaticNode();
  await node.write();
  const metadata = { name: "web", annotations: { "kubernetes.io/config.source": "file" } };
  const spec = { nodeName: "node-1", containers: [{ name: "web", image: "nginx" }] };
  await node.client.create(Pod, { metadata, spec } as never);
  await node.settled();
  expect((await node.client.get(Pod, { name: "web" })).status.phase).toBe("Running");
});

test("after a restart, static pods run on, and replace those whose files changed meanwhile", async () => {
  const node = await startStaticNode();
  await node.write({}, { name: "api" });
  const before = await node.running();
  const mirror = await node.mirror();
  const heal = node.disconnect();
  await node.restart();
  await node.write({}, { name: "api", image: "nginx:2" });
  await node.advance("2s");
  const after = await node.running();
  expect(after).toHaveLength(2);
  expect(after.filter((one) => before.includes(one))).toHaveLength(1);
  heal();
  await node.advance("1m");
  expect(await node.running()).toEqual(after);
  expect((await node.mirror()).metadata.uid).toBe(mirror.metadata.uid);
  expect((await node.mirror("api")).spec.containers[0]?.image).toBe("nginx:2");
});
