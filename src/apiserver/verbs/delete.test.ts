import { expect, test } from "vitest";
import type { DeleteOptions } from "../../api/meta/v1/options.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import type { Attributes } from "../admission/admission.ts";
import type { AnyKind, ObjectDraft } from "../objects/object.ts";
import { deleteObject } from "./delete.ts";
import {
  addressOf,
  configMapKind,
  context,
  coreKind,
  openParts,
  resources,
  type TestParts,
  withStore,
  write,
} from "./verb-parts.test-support.ts";

const [podKind, namespaceKind] = [coreKind("Pod"), coreKind("Namespace")];

async function remove(parts: TestParts, kind: AnyKind, options: DeleteOptions = {}) {
  try {
    return await deleteObject(parts, addressOf(kind, "a"), { options, context: context() });
  } catch (error) {
    if (!StatusError.is(error)) throw error;
    return `${error.code} ${error.message}`;
  }
}

/** Deletes an object with this metadata, and returns what is stored afterwards. */
async function after(kind: AnyKind, more: object, options: DeleteOptions = {}) {
  const parts = await openParts();
  await write(parts, kind, "a", more);
  await remove(parts, kind, options);
  const left = await parts.reader.find(addressOf(kind, "a"));
  if (!left) return "gone";
  const { finalizers, deletionTimestamp, deletionGracePeriodSeconds, generation } =
    left.object.metadata;
  return { finalizers, deletionTimestamp, deletionGracePeriodSeconds, generation };
}

const now = "2026-01-01T00:00:00Z";
const held = (...finalizers: string[]) => ({
  finalizers,
  deletionTimestamp: now,
  deletionGracePeriodSeconds: 0,
  generation: undefined,
});

test.each([
  ["nothing holds it", {}, {}, "gone"],
  ["a finalizer holds it", { finalizers: ["a/b"] }, {}, held("a/b")],
  ["foreground", {}, { propagationPolicy: "Foreground" }, held("foregroundDeletion")],
  ["orphan", {}, { propagationPolicy: "Orphan" }, held("orphan")],
  ["orphanDependents is true", {}, { orphanDependents: true }, held("orphan")],
  ["orphanDependents is false", { finalizers: ["orphan"] }, { orphanDependents: false }, "gone"],
  [
    "background takes a policy back",
    { finalizers: ["foregroundDeletion"] },
    { propagationPolicy: "Background" },
    "gone",
  ],
  [
    "a policy of the object itself",
    { finalizers: ["foregroundDeletion"] },
    {},
    held("foregroundDeletion"),
  ],
  [
    "a policy beside finalizers",
    { finalizers: ["a/b"] },
    { propagationPolicy: "Orphan" },
    held("a/b", "orphan"),
  ],
  ["a grace that the kind has not", {}, { gracePeriodSeconds: 60 }, "gone"],
])("deleteObject: %s", async (_, metadata, options, wanted) => {
  expect(await after(configMapKind, { metadata }, options)).toEqual(wanted);
});

test("deleteObject: marking an object raises its generation once", async () => {
  const metadata = { generation: 3, finalizers: ["a/b"] };
  expect(await after(configMapKind, { metadata })).toEqual({ ...held("a/b"), generation: 4 });
});

const pod = (more: object) => ({
  spec: { nodeName: "n", containers: [], ...more },
  status: {},
});
const graceful = (seconds: number, at: string) => ({
  finalizers: undefined,
  deletionTimestamp: at,
  deletionGracePeriodSeconds: seconds,
  generation: undefined,
});

test.each([
  [
    "the grace of the pod",
    { terminationGracePeriodSeconds: 20 },
    {},
    graceful(20, "2026-01-01T00:00:20Z"),
  ],
  [
    "the grace asked for",
    { terminationGracePeriodSeconds: 20 },
    { gracePeriodSeconds: 5 },
    graceful(5, "2026-01-01T00:00:05Z"),
  ],
  ["no grace", {}, { gracePeriodSeconds: 0 }, "gone"],
  [
    "a negative grace is a second",
    {},
    { gracePeriodSeconds: -3 },
    graceful(1, "2026-01-01T00:00:01Z"),
  ],
  ["a pod without a node", { nodeName: "" }, {}, "gone"],
])("deleteObject: a pod: %s", async (_, spec, options, wanted) => {
  expect(await after(podKind, pod(spec), options)).toEqual(wanted);
});

test("deleteObject: a pod that ends can end sooner, never later", async () => {
  const parts = await openParts();
  await write(parts, podKind, "a", pod({ terminationGracePeriodSeconds: 30 }));
  const seen: unknown[] = [];
  const ask = async (gracePeriodSeconds: number | undefined) => {
    await remove(parts, podKind, { gracePeriodSeconds });
    seen.push(
      (await parts.reader.find(addressOf(podKind, "a")))?.object.metadata.deletionTimestamp,
    );
  };
  await ask(undefined);
  await parts.clock.advance(10_000);
  await ask(40);
  await ask(15);
  await ask(5);
  await ask(0);
  expect(seen).toEqual([
    "2026-01-01T00:00:30Z",
    "2026-01-01T00:00:30Z",
    "2026-01-01T00:00:15Z",
    "2026-01-01T00:00:10Z",
    undefined,
  ]);
});

test("deleteObject: a namespace is marked first, and removed when it is empty", async () => {
  const parts = await openParts();
  await write(parts, namespaceKind, "a", {
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Active" },
  });
  const first = await remove(parts, namespaceKind);
  expect(first).toMatchObject({
    gone: false,
    object: { metadata: { deletionTimestamp: now }, status: { phase: "Terminating" } },
  });
  expect(await remove(parts, namespaceKind)).toEqual(first);
  const address = addressOf(namespaceKind, "a");
  const current = await parts.reader.find(address);
  await parts.committer.put(address, {
    object: { ...(current?.object as never as object), spec: {} } as never,
    ifRevision: current?.revision ?? 0,
  });
  expect(await remove(parts, namespaceKind)).toMatchObject({ gone: true });
});

test.each([
  [
    { propagationPolicy: "Later" },
    '422 DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Later": supported values: "Foreground", "Background", "Orphan", "nil"',
  ],
  [
    { propagationPolicy: "Orphan", orphanDependents: true },
    '422 DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
  ],
  [
    { dryRun: ["Some"] },
    '422 DeleteOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
  ],
  [
    { preconditions: { uid: "x" } },
    '409 Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (x) does not match the UID in record (u). The object might have been deleted and then recreated',
  ],
  [
    { preconditions: { uid: "u", resourceVersion: "1" } },
    '409 Operation cannot be fulfilled on ConfigMap "a": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (2). The object might have been modified',
  ],
])("deleteObject: %j is refused", async (options, wanted) => {
  const parts = await openParts();
  await write(parts, configMapKind, "a", { metadata: { uid: "u" } });
  expect(await remove(parts, configMapKind, options)).toEqual(wanted);
  expect(parts.reader.cache.of(configMapKind).size).toEqual(1);
});

test("deleteObject: a name that cannot be deleted is refused, whether it is there or not", async () => {
  const parts = await openParts();
  const kind = resources.find("scheduling.k8s.io", "v1", "priorityclasses") as AnyKind;
  const address = { kind, namespace: "", name: "system-node-critical" };
  const deletion = { options: {}, context: context() };
  const refused =
    'priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: this is a system priority class and cannot be deleted';
  await expect(deleteObject(parts, address, deletion)).rejects.toThrow(refused);
  await write(parts, kind, address.name, { value: 1 });
  await expect(deleteObject(parts, address, deletion)).rejects.toThrow(refused);
  await deleteObject(parts, address, { ...deletion, isOneOfMany: true });
  expect(await parts.reader.find(address)).toEqual(undefined);
});

test("deleteObject: events are removed at once, as nothing depends on them", async () => {
  const options = { propagationPolicy: "Foreground" };
  expect(await after(coreKind("Event"), {}, options)).toEqual("gone");
  expect(await after(coreKind("Event"), { metadata: { finalizers: ["orphan"] } })).toEqual("gone");
});

test("deleteObject: an object that does not exist is not found", async () => {
  expect(await remove(await openParts(), configMapKind)).toEqual('404 configmaps "a" not found');
});

test("deleteObject: an object that is marked already is not written again", async () => {
  const parts = await openParts();
  await write(parts, configMapKind, "a", { metadata: { finalizers: ["a/b"] } });
  const first = await remove(parts, configMapKind);
  expect(await remove(parts, configMapKind)).toEqual(first);
});

/** Parts whose admission records its calls. */
async function openNoting() {
  const parts = await openParts();
  const asked: string[] = [];
  const note = (phase: string) => async (attributes: Attributes | Attributes<ObjectDraft>) => {
    const { operation, address, old, context: by } = attributes;
    asked.push(`${phase} ${operation} ${address.name} ${old?.metadata.name} ${by.dryRun}`);
  };
  return {
    parts: { ...parts, admission: { admit: note("admit"), validate: note("validate") } },
    asked,
  };
}

test("deleteObject: admission runs, also in a dry run", async () => {
  const { parts, asked } = await openNoting();
  await write(parts, configMapKind, "a");
  const deletion = { options: { dryRun: ["All"] }, context: { ...context(), dryRun: true } };
  await deleteObject(parts, addressOf(configMapKind, "a"), deletion);
  expect(asked).toEqual(["admit DELETE a a true", "validate DELETE a a true"]);
  expect(parts.reader.cache.of(configMapKind).size).toEqual(1);
});

test("deleteObject: one of many has no name for admission", async () => {
  const { parts, asked } = await openNoting();
  await write(parts, configMapKind, "a");
  const deletion = { options: {}, context: context(), isOneOfMany: true };
  await deleteObject(parts, addressOf(configMapKind, "a"), deletion);
  expect(asked).toEqual(["admit DELETE  a false", "validate DELETE  a false"]);
});

test("deleteObject: admission does not run again for a pending deletion", async () => {
  const { parts, asked } = await openNoting();
  await write(parts, podKind, "a", pod({ terminationGracePeriodSeconds: 30 }));
  await remove(parts, podKind);
  asked.length = 0;
  await remove(parts, podKind);
  expect(asked).toEqual([]);
});

test("deleteObject: a pod that changes between marking and removal is still removed", async () => {
  const parts = await openParts();
  await write(parts, podKind, "a", pod({}));
  const { commit } = parts.reader.store;
  const revisions: unknown[] = [];
  const store = Object.create(parts.reader.store) as typeof parts.reader.store;
  store.commit = async (ops) => {
    const [op] = ops;
    if (op?.type === "delete" && revisions.push(op.ifRevision) === 1) {
      const metadata = { ...(await parts.reader.find(addressOf(podKind, "a")))?.object.metadata };
      await write(parts, podKind, "a", { ...pod({}), metadata, status: { message: "late" } });
    }
    return commit.call(parts.reader.store, ops);
  };
  const outcome = await remove(withStore(parts, store), podKind, { gracePeriodSeconds: 0 });
  expect(outcome).toMatchObject({ gone: true, object: { status: { message: "late" } } });
  expect(await parts.reader.find(addressOf(podKind, "a"))).toEqual(undefined);
  expect(revisions).toHaveLength(2);
});

test("deleteObject: a pod that another request removes after marking is gone", async () => {
  const parts = await openParts();
  await write(parts, podKind, "a", pod({}));
  const store = Object.create(parts.reader.store) as typeof parts.reader.store;
  store.commit = async (ops) => {
    const [op] = ops;
    if (op?.type === "delete") await parts.reader.store.commit(ops);
    return parts.reader.store.commit(ops);
  };
  const outcome = await remove(withStore(parts, store), podKind, { gracePeriodSeconds: 0 });
  expect(outcome).toMatchObject({ gone: true, object: { metadata: { name: "a" } } });
});
