import { expect, test } from "vitest";
import { Pod } from "../api/core/v1/pod/pod.ts";
import { startKubelet } from "./one-kubelet.test-support.ts";
import type { Rejection } from "./pod/admit-pod.ts";
import type { ResourceAllocator } from "./pod/resource-allocator.ts";

/** Resources whose allocation ends when a test says so. */
function heldResources() {
  const waiting = new Map<string, (rejection?: Rejection) => void>();
  const released: string[] = [];
  const allocator: ResourceAllocator = {
    admit: ({ metadata: { name = "" } }) =>
      name === "plain" ? undefined : new Promise((resolve) => waiting.set(name, resolve)),
    offered: (node) => node,
    refuseResize: () => undefined,
    async release(podUid) {
      released.push(podUid);
    },
  };
  const finish = (name: string, rejection?: Rejection): void => waiting.get(name)?.(rejection);
  return { allocator, finish, released };
}

const refusal = { reason: "UnexpectedAdmissionError", message: "Allocate failed due to x" };

test("a pod starts when its resources are allocated; others do not wait for it", async () => {
  const { allocator, finish } = heldResources();
  const { run, pod, settled, advance } = await startKubelet({ kubelet: { resources: allocator } });
  await run("held");
  await run("plain");
  await advance("5s");
  expect((await pod("held")).status.phase).toBe("Pending");
  expect((await pod("plain")).status.phase).toBe("Running");
  finish("held");
  await settled();
  await advance("5s");
  expect((await pod("held")).status.phase).toBe("Running");
});

test("a pod without its resources has failed, and what it has is freed", async () => {
  const { allocator, finish, released } = heldResources();
  const { run, pod, settled } = await startKubelet({ kubelet: { resources: allocator } });
  const uid = await run("held");
  finish("held", refusal);
  await settled();
  expect((await pod("held")).status).toMatchObject({
    ...{ phase: "Failed", reason: refusal.reason },
    message: "Pod was rejected: Allocate failed due to x",
  });
  expect(released).toEqual([uid]);
});

test("a pod that is deleted while it waits does not start", async () => {
  const { allocator, finish, released } = heldResources();
  const { run, client, settled, advance } = await startKubelet({
    kubelet: { resources: allocator },
  });
  const uid = await run("held");
  await client.delete(Pod, { name: "held" }, { gracePeriodSeconds: 0 });
  await settled();
  finish("held");
  await settled();
  await advance("5s");
  expect((await client.list(Pod)).items).toEqual([]);
  expect(released).toEqual([uid]);
});

test("a pod of before that cannot have its resources any more ends", async () => {
  const { allocator, finish } = heldResources();
  const { run, pod, settled, advance, restart } = await startKubelet({
    kubelet: { resources: allocator },
  });
  await run("held");
  finish("held");
  await settled();
  await advance("5s");
  expect((await pod("held")).status.phase).toBe("Running");
  await restart();
  finish("held", refusal);
  await settled();
  await advance("40s");
  const { status } = await pod("held");
  expect(status).toMatchObject({ phase: "Failed", reason: refusal.reason });
  expect(status.message).toBe("Pod was rejected: Allocate failed due to x");
});
