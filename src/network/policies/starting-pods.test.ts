import { expect, test } from "vitest";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { slimPod } from "./policy-pod.ts";
import { StartingPods } from "./starting-pods.ts";

const pod = (uid: string, status: object, metadata: object = {}): Pod =>
  ({
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: { namespace: "a", name: "p", uid, labels: { app: uid }, ...metadata },
    spec: {
      nodeName: "here",
      containers: [
        {
          name: "c",
          image: "i",
          ports: [{ name: "web", containerPort: 80 }, { containerPort: 81 }],
        },
      ],
      initContainers: [
        { name: "once", ports: [{ name: "once", containerPort: 1 }] },
        {
          name: "beside",
          restartPolicy: "Always",
          ports: [{ name: "dns", protocol: "UDP", containerPort: 53 }],
        },
      ],
    },
    status,
  }) as never;

const running = {
  phase: "Running",
  podIP: "10.0.0.1",
  podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }],
};

/** The addresses that a pod of the API is then known with. */
const addresses = (starting: StartingPods, seen: Pod, isDeleted = false): readonly string[] =>
  starting.seen(seen, isDeleted).seen?.addresses.map(({ text }) => text) ?? [];

test("StartingPods: addresses stay known until the API has some, or the pod has ended", () => {
  const starting = new StartingPods("here");
  expect(addresses(starting, pod("1", { phase: "Pending" }))).toEqual([]);
  starting.starts(pod("1", running));
  expect(addresses(starting, pod("1", { phase: "Pending" }))).toEqual(["10.0.0.1", "fd00::1"]);
  const other = { phase: "Running", podIP: "10.0.0.2" };
  expect(addresses(starting, pod("1", other))).toEqual(["10.0.0.2"]);
  expect(addresses(starting, pod("1", { phase: "Pending" }))).toEqual([]);
  starting.starts(pod("1", running));
  expect(addresses(starting, pod("1", { phase: "Failed" }))).toEqual([]);
});

test("StartingPods: the end of an earlier pod of the name changes nothing", () => {
  const starting = new StartingPods("here");
  starting.starts(pod("2", running));
  expect(addresses(starting, pod("1", running), true)).toEqual(["10.0.0.1", "fd00::1"]);
  expect(addresses(starting, pod("2", { phase: "Pending" }))).toEqual(["10.0.0.1", "fd00::1"]);
  expect(addresses(starting, pod("2", running), true)).toEqual([]);
});

test("StartingPods: a pod starts once, and again with other addresses", () => {
  const starting = new StartingPods("here");
  const isAwaited = (status: object): boolean => starting.starts(pod("1", status)) !== undefined;
  expect(isAwaited(running)).toBe(true);
  expect(isAwaited(running)).toBe(true);
  starting.started(pod("1", running));
  expect(isAwaited(running)).toBe(false);
  expect(isAwaited({ ...running, podIP: "10.0.0.9", podIPs: [{ ip: "10.0.0.9" }] })).toBe(true);
  expect(isAwaited({ phase: "Pending" })).toBe(false);
});

test("slimPod: keeps what policies look at", () => {
  const starting = new StartingPods("here");
  const whole = pod("1", running, { deletionTimestamp: "2026-01-01T00:00:00Z" });
  const { seen } = starting.seen(whole, false);
  expect(starting.seen(slimPod(whole), false).seen).toEqual(seen);
  expect(seen).toMatchObject({
    isTerminating: true,
    ports: [
      { name: "web", protocol: "TCP", number: 80 },
      { name: "dns", protocol: "UDP", number: 53 },
    ],
  });
  const { spec } = slimPod(whole);
  expect(spec.containers[0]).not.toHaveProperty("image");
});
