import { expect, test } from "vitest";
import { At } from "../../../schema/language/report.ts";
import { statusUpdated } from "../../kind.test-support.ts";
import { expectRecorded, recordedCases } from "../../recorded.test-support.ts";
import { write } from "../../write.test-support.ts";
import { Namespace } from "./namespace.ts";

for (const recorded of recordedCases("namespaces"))
  test(`Namespace: ${recorded.name}`, () => {
    expect.hasAssertions();
    expectRecorded(Namespace as never, recorded);
  });

const namespace = (more: Partial<Namespace> = {}): Namespace => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "a", resourceVersion: "1" },
  spec: { finalizers: ["kubernetes"] },
  status: { phase: "Active" },
  ...more,
});
const errors = (check: (at: At) => void): readonly string[] => {
  const at = At.root();
  check(at);
  return at.errors.map(({ field, message }) => `${field}: ${message}`);
};

test("Namespace: without a phase it is active", () => {
  expect(statusUpdated(Namespace, {}, { status: {} })).toEqual([]);
});

test("Namespace: the phase follows the deletion timestamp", () => {
  const deleted = { name: "a", resourceVersion: "1", deletionTimestamp: "2026-01-01T00:00:00Z" };
  const old = namespace({ metadata: deleted });
  expect([
    errors((at) => Namespace.validateStatusUpdate(namespace(), namespace(), at)),
    errors((at) => Namespace.validateStatusUpdate(old, old, at)),
    errors((at) =>
      Namespace.validateStatusUpdate(
        namespace({ status: { phase: "Terminating" } }),
        namespace(),
        at,
      ),
    ),
  ]).toEqual([
    [],
    [
      "status.Phase: Invalid value: \"Active\": may only be 'Terminating' if `deletionTimestamp` is not empty",
    ],
    [
      "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty",
    ],
  ]);
});

test("Namespace: the label with its name cannot be changed", () => {
  const object = namespace({
    metadata: { name: "a", labels: { z: "1", "kubernetes.io/metadata.name": "b" } },
  });
  Namespace.strategy.canonicalise?.(object as never);
  expect(JSON.stringify(object.metadata.labels)).toBe(
    '{"kubernetes.io/metadata.name":"a","z":"1"}',
  );
});

test("Namespace finalize: finalizers are named with their place", () => {
  const object = namespace({ spec: { finalizers: ["kubernetes", "mine"] } });
  const { finalize } = Namespace.strategy.updates ?? {};
  const old = namespace({ status: { phase: "Terminating" } });
  finalize?.prepare(object as never, old as never, write);
  expect([
    errors((at) => finalize?.validate(object as never, namespace() as never, at)),
    object.status.phase,
  ]).toEqual([
    [
      'spec.finalizers[1]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
    ],
    "Terminating",
  ]);
});
