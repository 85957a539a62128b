import { expect, test } from "vitest";
import { At } from "../../../schema/language/report.ts";
import { scaleOf, validateScale } from "./scale.ts";

const metadata = { name: "d", namespace: "n", uid: "u", labels: { a: "b" }, generation: 2 };

test("scaleOf: says how many there are and should be, and who they are", () => {
  const scale = scaleOf({
    kind: "Deployment",
    metadata,
    spec: { replicas: 3, selector: { matchLabels: { app: "a" } } },
    status: {},
  });
  expect(scale).toEqual({
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name: "d", namespace: "n", uid: "u" },
    spec: { replicas: 3 },
    status: { replicas: 0, selector: "app=a" },
  });
});

test("scaleOf: none asked for is not written, none there is", () => {
  const { spec, status } = scaleOf({
    kind: "ReplicaSet",
    metadata,
    spec: { replicas: 0 },
    status: { replicas: 0 },
  });
  expect([spec, status]).toEqual([{}, { replicas: 0 }]);
});

test("scaleOf: the labels of a replication controller are its selector", () => {
  const spec = { replicas: 1, selector: { app: "a", tier: "b" } };
  const { status } = scaleOf({ kind: "ReplicationController", metadata, spec, status: {} });
  expect(status.selector).toBe("app=a,tier=b");
});

test("validateScale: a name, and no less than none", () => {
  const at = At.root();
  const scale = { metadata: { namespace: "n" }, spec: { replicas: -1 }, status: { replicas: 0 } };
  validateScale(scale, at);
  expect(at.errors.map(({ field, message }) => `${field}: ${message}`)).toEqual([
    "metadata.name: Required value: name or generateName is required",
    "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
  ]);
});
