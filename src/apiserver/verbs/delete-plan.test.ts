import { expect, test } from "vitest";
import type { DeleteOptions } from "../../api/meta/v1/options.ts";
import type { AnyKind } from "../objects/object.ts";
import { planDelete } from "./delete-plan.ts";
import { configMapKind, coreKind, objectOf, openParts } from "./verb-parts.test-support.ts";

const [pods, namespaces] = [coreKind("Pod"), coreKind("Namespace")];

async function plan(kind: AnyKind, more: object, options: DeleteOptions = {}) {
  const parts = await openParts(Date.UTC(2026, 0, 1, 0, 0, 10, 500));
  return planDelete(parts, kind, { object: objectOf(kind, "a", more), options });
}

const metadataIn = (planned: Awaited<ReturnType<typeof plan>>) =>
  planned.type === "mark" ? planned.marked.metadata : planned.type;

test.each([
  [["foregroundDeletion", "a/b"], "Foreground", ["foregroundDeletion", "a/b"]],
  [["orphan", "a/b"], "Foreground", ["a/b", "foregroundDeletion"]],
  [["a/b"], "Orphan", ["a/b", "orphan"]],
])(
  "planDelete: %j with %s: %j, which moves none that stays",
  async (finalizers, policy, wanted) => {
    const planned = await plan(
      configMapKind,
      { metadata: { finalizers } },
      { propagationPolicy: policy },
    );
    expect(metadataIn(planned)).toMatchObject({ finalizers: wanted });
  },
);

const ending = (more: object = {}) => ({
  metadata: { deletionTimestamp: "2026-01-01T00:00:30Z", deletionGracePeriodSeconds: 25, ...more },
  spec: { nodeName: "n", containers: [] },
  status: {},
});

test.each([
  ["an end that is still to come", 6, ["2026-01-01T00:00:11Z", 6]],
  // The second of the end has begun.
  ["an end that is just over", 5, ["2026-01-01T00:00:10Z", 1]],
  ["an end that is over", 3, ["2026-01-01T00:00:10Z", 1]],
  ["no grace period", 0, ["2026-01-01T00:00:10Z", 0]],
])("planDelete: a grace is shortened to %s", async (_, gracePeriodSeconds, [at, seconds]) => {
  expect(metadataIn(await plan(pods, ending(), { gracePeriodSeconds }))).toMatchObject({
    deletionTimestamp: at,
    deletionGracePeriodSeconds: seconds,
  });
});

test("planDelete: a grace below zero that was stored is a second", async () => {
  const negative = ending({ deletionGracePeriodSeconds: -4 });
  expect(await plan(pods, negative, { gracePeriodSeconds: 1 })).toEqual({ type: "pending" });
});

test.each([
  [{ orphanDependents: false }, ["a/b", "foregroundDeletion"]],
  [{ orphanDependents: true }, ["orphan", "a/b"]],
  [{ propagationPolicy: "Foreground" }, ["a/b", "foregroundDeletion"]],
  [{ propagationPolicy: "Background" }, ["a/b"]],
  [{}, ["orphan", "a/b"]],
])("planDelete: a namespace that is deleted with %j", async (options, finalizers) => {
  const namespace = { metadata: { finalizers: ["orphan", "a/b"] }, spec: {}, status: {} };
  expect(metadataIn(await plan(namespaces, namespace, options))).toMatchObject({ finalizers });
});

test.each([
  ["its content", ["kubernetes"], ["a/b"], "pending"],
  ["a finalizer", [], ["a/b"], { finalizers: ["a/b"], deletionGracePeriodSeconds: 0 }],
  ["nothing", [], [], "remove"],
])("planDelete: a namespace that ends is held by %s", async (_, own, finalizers, wanted) => {
  const metadata = { finalizers, deletionTimestamp: "2026-01-01T00:00:00Z" };
  const namespace = { metadata, spec: { finalizers: own }, status: { phase: "Terminating" } };
  const planned = metadataIn(await plan(namespaces, namespace));
  if (typeof wanted === "string") expect(planned).toEqual(wanted);
  else expect(planned).toMatchObject(wanted);
});
