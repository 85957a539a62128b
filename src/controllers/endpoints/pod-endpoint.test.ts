import { expect, test } from "vitest";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { withChanges } from "../../client/with-changes.ts";
import { endpointChanged, hasEndpoint, targetPortOf } from "./pod-endpoint.ts";

const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "a", namespace: "default", labels: { app: "web" } },
  spec: {
    containers: [
      {
        name: "web",
        image: "web",
        ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
      },
    ],
    initContainers: [
      { name: "setup", image: "x", ports: [{ name: "early", containerPort: 1, protocol: "TCP" }] },
      {
        name: "proxy",
        image: "x",
        restartPolicy: "Always",
        ports: [{ name: "dns", containerPort: 53, protocol: "UDP" }],
      },
    ],
  },
  status: {
    phase: "Running",
    podIP: "10.0.0.1",
    podIPs: [{ ip: "10.0.0.1" }],
    conditions: [{ type: "Ready", status: "True" }],
  },
} as unknown as Pod;

type Change = Parameters<typeof withChanges<Pod>>[1];

test.each<[string, Change, boolean]>([
  [
    "an annotation",
    (p) => {
      p.metadata.annotations = { a: "b" };
    },
    false,
  ],
  [
    "a message",
    (p) => {
      p.status.message = "well";
    },
    false,
  ],
  [
    "a label",
    (p) => {
      p.metadata.labels = { app: "x" };
    },
    true,
  ],
  [
    "readiness",
    (p) => {
      p.status.conditions = [];
    },
    true,
  ],
  [
    "an address",
    (p) => {
      p.status.podIPs = [{ ip: "10.0.0.2" }];
    },
    true,
  ],
  [
    "that it is to end",
    (p) => {
      p.metadata.deletionTimestamp = "2026-01-01T00:00:00Z";
    },
    true,
  ],
  [
    "that it has ended",
    (p) => {
      p.status.phase = "Failed";
    },
    true,
  ],
])("endpointChanged: %s", (_name, change, matters) => {
  const object = withChanges(pod, change);
  expect(endpointChanged({ type: "updated", object, old: pod })).toBe(matters);
});

test.each<[string, Change, boolean, boolean]>([
  ["a pod that runs", () => {}, true, true],
  [
    "one that is ending",
    (p) => {
      p.metadata.deletionTimestamp = "x";
    },
    true,
    false,
  ],
  [
    "one that has ended",
    (p) => {
      p.status.phase = "Succeeded";
    },
    false,
    false,
  ],
  [
    "one without an address",
    (p) => {
      delete p.status.podIP;
      delete p.status.podIPs;
    },
    false,
    false,
  ],
])("hasEndpoint: %s", (_name, change, evenTerminating, otherwise) => {
  const object = withChanges(pod, change);
  expect(hasEndpoint(object, { evenTerminating: true })).toBe(evenTerminating);
  expect(hasEndpoint(object, { evenTerminating: false })).toBe(otherwise);
});

test.each<[number | string, "TCP" | "UDP", number | undefined]>([
  [80, "TCP", 80],
  ["http", "TCP", 8080],
  ["http", "UDP", undefined],
  ["dns", "UDP", 53],
  ["early", "TCP", undefined],
  ["none", "TCP", undefined],
])("targetPortOf: %s over %s is %s", (targetPort, protocol, port) => {
  expect(targetPortOf(pod, { targetPort, protocol })).toBe(port);
});
