import { describe, expect, test } from "vitest";
import type { ReadonlyJsonMap as JsonMap } from "../json/json-value.ts";
import { apply, managedFieldsAfter, ShapeError, type Writer } from "./field-manager.ts";
import { setOf } from "./field-set.ts";
import type { ManagedFieldsEntry } from "./managers.ts";
import { pathText } from "./path-element.ts";
import { ownersOf, thing, thingOf, writer } from "./thing.test-support.ts";
import { ConflictError } from "./updater.ts";

const applyAs = (
  manager: string,
  live: JsonMap | undefined,
  spec: JsonMap,
  force = false,
): JsonMap => apply(writer(manager), live, { config: thingOf(spec), force });

/** The object after an update by a manager. */
function update(by: Writer, live: JsonMap | undefined, next: JsonMap): JsonMap {
  const { managedFields: given, ...metadata } = next.metadata as {
    managedFields?: readonly ManagedFieldsEntry[];
  };
  const managedFields = managedFieldsAfter(by, { live, next, given });
  return { ...next, metadata: { ...metadata, ...(managedFields.length > 0 && { managedFields }) } };
}

const conflictsOf = (run: () => unknown): string[] => {
  try {
    run();
  } catch (error) {
    if (error instanceof ConflictError)
      return error.conflicts.map(
        ({ manager, path }) =>
          `${(JSON.parse(manager) as { manager: string }).manager}: ${pathText(path)}`,
      );
    throw error;
  }
  return [];
};

describe("apply", () => {
  test("what is applied is owned, but for what tells objects apart", () => {
    const object = applyAs("a", undefined, { size: 1, labels: { x: "1" } });
    expect(object.spec).toEqual({ size: 1, labels: { x: "1" } });
    expect(ownersOf(object)).toEqual({
      a: { "f:spec": { "f:labels": { "f:x": {} }, "f:size": {} } },
    });
  });
  test("what is no longer applied goes away", () => {
    const object = applyAs("a", applyAs("a", undefined, { size: 1, note: "n" }), { size: 1 });
    expect(object.spec).toEqual({ size: 1 });
  });
  test("unless another owns it, too", () => {
    const shared = applyAs("b", applyAs("a", undefined, { size: 1, note: "n" }), { note: "n" });
    const object = applyAs("a", shared, { size: 1 });
    expect(object.spec).toEqual({ size: 1, note: "n" });
    expect(ownersOf(object)).toEqual({
      a: { "f:spec": { "f:size": {} } },
      b: { "f:spec": { "f:note": {} } },
    });
  });
  test("another's field is a conflict, or is taken by force", () => {
    const live = applyAs("a", undefined, { size: 1, note: "n", ports: [{ port: 1, name: "x" }] });
    const run = (force: boolean) => () =>
      applyAs("b", live, { size: 2, note: "n", ports: [{ port: 1, name: "y" }] }, force);
    expect(conflictsOf(run(false))).toEqual(["a: .spec.size", "a: .spec.ports[port=1].name"]);
    const forced = run(true)();
    expect(forced.spec).toEqual({ size: 2, note: "n", ports: [{ port: 1, name: "y" }] });
    expect(ownersOf(forced).a).toEqual({
      "f:spec": { "f:note": {}, "f:ports": { 'k:{"port":1}': { ".": {}, "f:port": {} } } },
    });
  });
  test("the same again changes nothing, not even the time", () => {
    const live = applyAs("a", undefined, { size: 1 });
    const again = apply(writer("a", { now: "2027-01-01T00:00:00Z" }), live, {
      config: thingOf({ size: 1 }),
      force: false,
    });
    expect(again).toEqual(live);
  });
  test("a change is stamped", () => {
    const live = applyAs("a", undefined, { size: 1 });
    const { metadata } = apply(writer("a", { now: "2027-01-01T00:00:00Z" }), live, {
      config: thingOf({ size: 2 }),
      force: false,
    });
    expect(metadata).toMatchObject({ managedFields: [{ time: "2027-01-01T00:00:00Z" }] });
  });
  test("what was there before anybody applied is owned by nobody in particular", () => {
    const live = thingOf({ size: 1, note: "n" }, { uid: "u" });
    expect(conflictsOf(() => applyAs("a", live, { size: 2 }))).toEqual([
      "before-first-apply: .spec.size",
    ]);
    expect(Object.keys(ownersOf(applyAs("a", live, { size: 1 })))).toEqual([
      "a",
      "before-first-apply",
    ]);
  });
  test("items of others stay, own ones go", () => {
    const two = applyAs(
      "b",
      applyAs("a", undefined, { ports: [{ port: 1 }, { port: 2 }], groups: ["x"] }),
      {
        ports: [{ port: 3 }],
        groups: ["y"],
      },
    );
    const object = applyAs("a", two, { ports: [{ port: 2 }] });
    expect(object.spec).toEqual({ ports: [{ port: 2 }, { port: 3 }], groups: ["y"] });
  });
  test("fields of an item that others own keep it", () => {
    const two = applyAs("b", applyAs("a", undefined, { ports: [{ port: 1, name: "n" }] }), {
      ports: [{ port: 1, labels: { l: "1" } }],
    });
    expect(applyAs("a", two, {}).spec).toEqual({ ports: [{ port: 1, labels: { l: "1" } }] });
  });
  test("a field that an update took is a conflict; one that it left is pruned", () => {
    const live = applyAs("a", undefined, { size: 1, note: "n" });
    const changed = update(writer("u"), live, { ...live, spec: { size: 2, note: "n" } });
    expect(ownersOf(changed)).toEqual({
      a: { "f:spec": { "f:note": {} } },
      u: { "f:spec": { "f:size": {} } },
    });
    expect(conflictsOf(() => applyAs("a", changed, { size: 1 }))).toEqual(["u: .spec.size"]);
    expect(applyAs("a", changed, { size: 2 }).spec).toEqual({ size: 2 });
  });
  test("a configuration that is not of its kind is refused", () => {
    expect(() => applyAs("a", undefined, { bogus: 1 })).toThrow(
      new ShapeError(".spec.bogus: field not declared in schema"),
    );
  });
  test("owners in a version that is gone are gone", () => {
    const live = applyAs("a", undefined, { size: 1 });
    const [entry] = (live.metadata as { managedFields: ManagedFieldsEntry[] }).managedFields;
    const old = {
      ...live,
      metadata: { name: "a", managedFields: [{ ...entry, apiVersion: "test/v0" }] },
    };
    expect(ownersOf(applyAs("b", old, { size: 2 }))).toEqual({ b: { "f:spec": { "f:size": {} } } });
  });
  test("fields that a request cannot change come to nobody, and conflict with nobody", () => {
    const by = writer("a", { filterOf: () => ({ except: setOf([["f:status"]]) }) });
    const config = { ...thingOf({ size: 1 }), status: { ready: 1 } };
    expect(ownersOf(apply(by, undefined, { config, force: false }))).toEqual({
      a: { "f:spec": { "f:size": {} } },
    });
  });
});

describe("versions", () => {
  // In v2 the size is called volume.
  const versions: Writer["versions"] = {
    shapeOf: (version) => (/^test\/v[12]$/.test(version) ? thing : undefined),
    convert(object, from, to) {
      const { spec, ...rest } = object as { spec: { size?: number; note?: string } | null };
      if (from === to) return object;
      const { size, note, ...others } = spec ?? {};
      return {
        ...rest,
        apiVersion: to,
        spec: {
          ...others,
          ...(size !== undefined && { note: String(size) }),
          ...(note !== undefined && { size: Number(note) }),
        },
      };
    },
  };
  test("a field is the same in every version", () => {
    const live = apply(writer("a", { versions }), undefined, {
      config: thingOf({ size: 1 }),
      force: false,
    });
    const config = { ...thingOf({ note: "2" }), apiVersion: "test/v2" };
    const by = writer("b", { versions, version: "test/v2" });
    const seen = versions.convert(live, "test/v1", "test/v2") as JsonMap;
    expect(conflictsOf(() => apply(by, seen, { config, force: false }))).toEqual(["a: .spec.size"]);
  });
  test("a manager that moves to another version gives up what it applied in the old one", () => {
    const live = apply(writer("a", { versions }), undefined, {
      config: thingOf({ size: 1, args: ["x"] }),
      force: false,
    });
    const seen = versions.convert(live, "test/v1", "test/v2") as JsonMap;
    const config = { ...thingOf({ args: ["x"] }), apiVersion: "test/v2" };
    const object = apply(writer("a", { versions, version: "test/v2" }), seen, {
      config,
      force: false,
    });
    expect(object.spec).toEqual({ args: ["x"] });
    expect(ownersOf(object)).toEqual({ a: { "f:spec": { "f:args": {} } } });
  });
});

describe("managedFieldsAfter", () => {
  const created = update(writer("a"), undefined, thingOf({ size: 1, labels: { x: "1" } }));

  test("what is created is its creator's, with the maps that came with it", () => {
    expect(ownersOf(created)).toEqual({
      a: { "f:spec": { "f:labels": { ".": {}, "f:x": {} }, "f:size": {} } },
    });
  });
  test("what is changed is taken over, what is removed is nobody's", () => {
    const next = update(
      writer("b"),
      created,
      thingOf({ labels: { x: "2", y: "1" } }, { uid: "u" }),
    );
    expect(ownersOf(next)).toEqual({
      a: { "f:spec": { "f:labels": {} } },
      b: { "f:spec": { "f:labels": { "f:x": {}, "f:y": {} } } },
    });
  });
  test("an update that changes nothing leaves no trace", () => {
    expect(ownersOf(update(writer("b"), created, created))).toEqual(ownersOf(created));
  });
  test("an empty list, or an empty entry, resets them", () => {
    for (const managedFields of [[], [{}]]) {
      const next = thingOf({ size: 2 }, { uid: "u", managedFields });
      expect(ownersOf(update(writer("b"), created, next))).toEqual({});
    }
  });
  test("an object that is not tracked is not tracked later", () => {
    expect(ownersOf(update(writer("b"), thingOf({ size: 1 }), thingOf({ size: 2 })))).toEqual({});
  });
  test("a client may set them", () => {
    const managedFields = [
      {
        manager: "x",
        operation: "Apply",
        apiVersion: "test/v1",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:spec": { "f:size": {} } },
      },
    ];
    const next = thingOf({ size: 1, labels: { x: "1" } }, { managedFields });
    expect(ownersOf(update(writer("b"), created, next))).toEqual({
      x: { "f:spec": { "f:size": {} } },
    });
    const broken = thingOf({ size: 1, labels: { x: "1" } }, { managedFields: [{ manager: "x" }] });
    expect(ownersOf(update(writer("b"), created, broken))).toEqual(ownersOf(created));
  });
  test("through a subresource they cannot be set", () => {
    const next = thingOf({ size: 1, labels: { x: "1" } }, { managedFields: [] });
    expect(ownersOf(update(writer("b", { subresource: "status" }), created, next))).toEqual(
      ownersOf(created),
    );
  });
  test("a list whose items cannot be told apart leaves nobody as owner", () => {
    expect(ownersOf(update(writer("b"), created, thingOf({ groups: [null] })))).toEqual({});
  });
  test("a manager without a name is unknown", () => {
    expect(Object.keys(ownersOf(update(writer(""), undefined, thingOf({ size: 1 }))))).toEqual([
      "unknown",
    ]);
  });
});

describe("the upgrade from client-side apply", () => {
  const annotation = "kubectl.kubernetes.io/last-applied-configuration";
  const lastApplied = (spec: JsonMap) => `${JSON.stringify(thingOf(spec))}\n`;
  const clientSide = (spec: JsonMap, applied: JsonMap) =>
    update(
      writer("kubectl-client-side-apply"),
      undefined,
      thingOf(spec, { annotations: { [annotation]: lastApplied(applied) } }),
    );
  const byKubectl = (live: JsonMap, spec: JsonMap) =>
    apply(writer("kubectl"), live, { config: thingOf(spec), force: false });

  test("fields that are as kubectl applied them are its own", () => {
    const object = byKubectl(clientSide({ size: 1, note: "n" }, { size: 1, note: "n" }), {
      size: 2,
      note: "n",
    });
    expect(object.spec).toEqual({ size: 2, note: "n" });
  });
  test("fields that changed since are not", () => {
    const live = clientSide({ size: 5, note: "n" }, { size: 1, note: "n" });
    expect(conflictsOf(() => byKubectl(live, { size: 2, note: "m" }))).toEqual([
      "kubectl-client-side-apply: .spec.size",
    ]);
  });
  test("the annotation is kept up to date", () => {
    const { metadata } = byKubectl(clientSide({ size: 1 }, { size: 1 }), { size: 2 });
    expect((metadata as { annotations: Record<string, string> }).annotations[annotation]).toBe(
      '{"apiVersion":"test/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"size":2}}\n',
    );
  });
  test("other managers get conflicts", () => {
    const live = clientSide({ size: 1 }, { size: 1 });
    expect(conflictsOf(() => applyAs("other", live, { size: 2 }))).toHaveLength(1);
  });
  test.each([
    ["{"],
    ["[]"],
    ['{"apiVersion":"test/v0","spec":{"size":1}}'],
    ['{"apiVersion":"test/v1","bogus":1}'],
  ])("an annotation %j that says nothing is as good as none", (text) => {
    const live = update(
      writer("x"),
      undefined,
      thingOf({ size: 1 }, { annotations: { [annotation]: text } }),
    );
    expect(conflictsOf(() => byKubectl(live, { size: 2 }))).toEqual(["x: .spec.size"]);
  });
});
