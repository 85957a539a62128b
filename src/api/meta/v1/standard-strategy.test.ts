import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { quantity, string, stringMap } from "../../../schema/language/field.ts";
import { struct } from "../../../schema/language/struct.ts";
import { sameValue } from "../../../schema/language/validate.ts";
import type { Write } from "../../../schema/language/write.ts";
import { write } from "../../write.test-support.ts";
import type { ObjectMeta } from "./object-meta.ts";
import { type StandardStrategy, sameMap, standardStrategy } from "./standard-strategy.ts";

const ThingSpec = struct("test.ThingSpec", {
  size: quantity(1),
  colour: string(2),
  limits: stringMap(3),
});

interface Thing {
  metadata: { -readonly [K in keyof ObjectMeta]?: ObjectMeta[K] };
  spec: { size?: string; colour?: string; limits?: object };
  status?: { count: number };
}
type Step = "prepareCreate" | "prepareUpdate" | "prepareStatusUpdate";

const thing = (more: Partial<Thing> = {}): Thing => ({ metadata: {}, spec: {}, ...more });

/** What a step makes of an object; the old object must stay as it is. */
function prepared(declared: StandardStrategy<Thing>, step: Step, [object, old]: [Thing, Thing?]) {
  const draft = structuredClone(object);
  const strategy = standardStrategy(declared);
  const before = Object.freeze(structuredClone(old ?? thing()));
  if (step === "prepareCreate") strategy.prepareCreate?.(draft, write);
  else strategy[step]?.(draft, before, write);
  if (old) expect(before).toEqual(old);
  return draft;
}

const given = thing({
  metadata: { generation: 5, labels: { a: "given" }, annotations: { b: "given" } },
  spec: { colour: "given" },
  status: { count: 1 },
});
const old = thing({
  metadata: { generation: 5, labels: { a: "old" } },
  spec: { colour: "old" },
  status: { count: 9 },
});

each<[string, StandardStrategy<Thing>, Step, Thing]>([
  ["a kind that declares nothing takes a new object as it is", {}, "prepareCreate", given],
  ["nor does it keep anything in an update", {}, "prepareUpdate", given],
  ["nor in an update of the status", {}, "prepareStatusUpdate", given],
  [
    "a new object gets the initial status",
    { initialStatus: { count: 0 } },
    "prepareCreate",
    { ...given, status: { count: 0 } },
  ],
  [
    "the initial status may depend on the object and on the write",
    {
      initialStatus: ({ spec }, { now }: Write) => ({ count: `${spec.colour} ${now}`.length }),
    },
    "prepareCreate",
    { ...given, status: { count: 26 } },
  ],
  [
    "a new object may have no status",
    { initialStatus: () => undefined },
    "prepareCreate",
    { metadata: given.metadata, spec: given.spec },
  ],
  [
    "an update keeps the status",
    { initialStatus: { count: 0 } },
    "prepareUpdate",
    { ...given, status: { count: 9 } },
  ],
  [
    "an update of the status keeps the spec",
    { initialStatus: { count: 0 } },
    "prepareStatusUpdate",
    { ...given, spec: { colour: "old" } },
  ],
  [
    "an update of the status may keep the metadata",
    { initialStatus: { count: 0 }, statusKeeps: ["metadata"] },
    "prepareStatusUpdate",
    { ...old, status: { count: 1 } },
  ],
  [
    "or parts of it, whether the old object has them",
    { initialStatus: { count: 0 }, statusKeeps: ["metadata.labels"] },
    "prepareStatusUpdate",
    {
      metadata: { generation: 5, labels: { a: "old" }, annotations: { b: "given" } },
      spec: { colour: "old" },
      status: { count: 1 },
    },
  ],
  [
    "or not",
    { initialStatus: { count: 0 }, statusKeeps: ["metadata.annotations"] },
    "prepareStatusUpdate",
    {
      metadata: { generation: 5, labels: { a: "given" } },
      spec: { colour: "old" },
      status: { count: 1 },
    },
  ],
])("standardStrategy: %s", (_, declared, step, expected) => {
  expect(prepared(declared, step, [given, old])).toEqual(expected);
});

test("standardStrategy: new objects do not share their initial status", () => {
  const declared: StandardStrategy<Thing> = { initialStatus: { count: 0 } };
  const [a, b] = [given, given].map((one) => prepared(declared, "prepareCreate", [one]));
  expect(a?.status).toEqual(b?.status);
  expect(a?.status).not.toBe(b?.status);
});

const spec = { generation: { spec: ThingSpec } };

each<[string, StandardStrategy<Thing>, Thing, Thing, number | undefined]>([
  ["a change is a new generation", spec, given, old, 6],
  ["the same again is none", spec, old, old, 5],
  [
    "a struct compares by meaning",
    spec,
    thing({ spec: { size: "1Gi", limits: {} } }),
    thing({ spec: { size: "1024Mi" } }),
    undefined,
  ],
  [
    "a comparator compares as it likes",
    { generation: { spec: sameValue } },
    thing({ spec: { size: "1Gi" } }),
    thing({ spec: { size: "1024Mi" } }),
    1,
  ],
  [
    "any of several parts counts",
    { generation: { spec: ThingSpec, "metadata.annotations": sameMap } },
    thing({ metadata: { annotations: { a: "1" } } }),
    thing(),
    1,
  ],
  [
    "an empty map is no change from none",
    { generation: { "metadata.annotations": sameMap } },
    thing({ metadata: { annotations: {} } }),
    thing(),
    undefined,
  ],
  ["no part may count", { generation: {} }, given, old, 5],
  ["the whole object may count", { generation: sameValue }, given, old, 6],
  [
    "the status does not count",
    { ...spec, initialStatus: { count: 0 } },
    { ...old, status: { count: 3 } },
    old,
    5,
  ],
  [
    "the kind's own step comes before the comparison",
    { ...spec, prepare: (object, before) => Object.assign(object.spec, before?.spec) },
    given,
    old,
    5,
  ],
  [
    "its last step comes after it",
    { ...spec, finish: (object) => Object.assign(object.spec, { colour: "other" }) },
    old,
    old,
    5,
  ],
])("standardStrategy: %s", (_, declared, object, before, generation) => {
  const { metadata } = prepared(declared, "prepareUpdate", [object, before]);
  expect(metadata.generation).toBe(generation);
});

each<[string, StandardStrategy<Thing>, number | undefined]>([
  ["a kind that counts generations starts with 1", spec, 1],
  ["unless it starts without", { ...spec, startsWithoutGeneration: true }, undefined],
  ["other kinds have none", {}, undefined],
])("standardStrategy: %s", (_, declared, generation) => {
  expect(prepared(declared, "prepareCreate", [thing()]).metadata.generation).toBe(generation);
});

test("standardStrategy: an update through a subresource counts as a change, too", () => {
  const { updates } = standardStrategy<Thing>({
    ...spec,
    updates: {
      paint: { prepare: (object) => Object.assign(object.spec, { colour: "new" }), validate() {} },
    },
  });
  const draft = structuredClone(old);
  updates?.paint?.prepare(draft, old, write);
  expect([draft.spec.colour, draft.metadata.generation]).toEqual(["new", 6]);
});

test("standardStrategy: the kind's own steps see the write, and whether there was an object", () => {
  const seen: unknown[] = [];
  const declared: StandardStrategy<Thing> = {
    prepare: (_, before, { now }) => seen.push(["prepare", before !== undefined, now]),
    finish: (_, before, { now }) => seen.push(["finish", before !== undefined, now]),
    prepareStatus: (_, before, { now }) => seen.push(["status", before !== undefined, now]),
  };
  for (const step of ["prepareCreate", "prepareUpdate", "prepareStatusUpdate"] as const)
    prepared(declared, step, [given, old]);
  expect(seen).toEqual([
    ["prepare", false, write.now],
    ["finish", false, write.now],
    ["prepare", true, write.now],
    ["finish", true, write.now],
    ["status", true, write.now],
  ]);
});

each<[string, StandardStrategy<Thing>, object]>([
  ["without a status, nothing is reset", {}, {}],
  [
    "with one, each endpoint resets what belongs to the other",
    { initialStatus: { count: 0 } },
    { "": ["status"], status: ["spec"] },
  ],
  [
    "what the status keeps beside the spec is reset, too",
    { initialStatus: { count: 0 }, statusKeeps: ["metadata.labels"] },
    { "": ["status"], status: ["spec", "metadata.labels"] },
  ],
  [
    "a kind may reset something else",
    { initialStatus: { count: 0 }, resets: { "": [], finalize: ["status"] } },
    { "": [], status: ["spec"], finalize: ["status"] },
  ],
])("standardStrategy: %s", (_, declared, resets) => {
  expect(standardStrategy(declared).resets).toEqual(resets);
});
