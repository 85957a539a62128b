import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { metadata } from "./metadata.test-support.ts";
import { type SchemaResource, schemaForm } from "./schema-form.ts";

const versioned = (name: string) => ({
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        [name]: { type: "string", default: name },
        both: { type: "string" },
        maybe: { type: "string", nullable: true },
      },
    },
  },
});
const resource: SchemaResource = {
  group: "g.io",
  kind: "Thing",
  listKind: "ThingList",
  schemas: new Map([
    ["g.io/v1", versioned("one")],
    ["g.io/v2", versioned("two")],
  ]),
  storageVersion: "g.io/v2",
  preservesUnknown: false,
  metadata,
  convert(object, version) {
    object.apiVersion = version;
  },
};
const names = { name: "io.g.v1.Thing", listName: "io.g.v1.ThingList" };
const v1 = schemaForm(resource, "g.io/v1", names);
const v2 = schemaForm(resource, "g.io/v2", names);
const thing = (more: object) => ({ apiVersion: "g.io/v1", kind: "Thing", metadata: {}, ...more });

each<[rule: string, text: string, value: object, strict: string[]]>([
  [
    "what is unknown goes",
    '{"kind":"Thing","apiVersion":"g.io/v1","spec":{"both":"x","two":"y"},"z":1}',
    thing({ spec: { both: "x" } }),
    ['unknown field "spec.two"', 'unknown field "z"'],
  ],
  [
    "metadata is read as all metadata is",
    '{"kind":"Thing","apiVersion":"g.io/v1","metadata":{"name":"n","odd":{}}}',
    thing({ metadata: { name: "n" } }),
    ['unknown field "metadata.odd"'],
  ],
  [
    "what is there twice is told, and the last one counts",
    '{"kind":"Thing","apiVersion":"g.io/v1","spec":{"both":"x","both":"y"}}',
    thing({ spec: { both: "y" } }),
    ['duplicate field "spec.both"'],
  ],
  [
    "null goes where it is not allowed",
    '{"kind":"Thing","apiVersion":"g.io/v1","spec":{"both":null,"maybe":null}}',
    thing({ spec: { maybe: null } }),
    [],
  ],
  [
    "of another kind nothing is known",
    '{"kind":"Other","apiVersion":"g.io/v1","a":1}',
    { kind: "Other", apiVersion: "g.io/v1", metadata: {}, a: 1 },
    [],
  ],
])("decode: %s", (_, text, value, strict) => {
  expect(v1.decode(text)).toEqual({ value, strict });
});

each<[text: string, why: RegExp]>([
  [
    '{"kind":"Thing","apiVersion":"g.io/v1","metadata":{"name":1}}',
    /cannot unmarshal number into Go struct field ObjectMeta\.name of type string/,
  ],
  ['{"kind":"Thing","a":1e400}', /cannot unmarshal number 1e400 into Go value of type float64/],
  ["{", /unexpected end of JSON input/],
])("decode: %s cannot be read", (text, why) => {
  expect(() => v1.decode(text)).toThrow(why);
});

test("an object is stored in the storage version, without what that does not know", () => {
  const object = thing({ metadata: { name: "n", labels: {} }, spec: { one: "x", both: "y" } });
  expect(new TextDecoder().decode(v1.toBytes(object))).toEqual(
    '{"apiVersion":"g.io/v2","kind":"Thing","metadata":{"name":"n"},"spec":{"both":"y"}}\n',
  );
});

test("an object is completed by the version it is stored in, then read as another", () => {
  const bytes = new TextEncoder().encode(
    '{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"name":"n","generation":3},"spec":{"two":"gone"},"odd":1}',
  );
  const named = { name: "n", generation: 3 };
  expect([v1.fromBytes(bytes), v2.fromBytes(bytes)]).toEqual([
    thing({ metadata: named, spec: { one: "one" } }),
    { ...thing({ metadata: named, spec: {} }), apiVersion: "g.io/v2" },
  ]);
});

test("of what was stored before there were rules, what cannot be read is dropped", () => {
  const bytes = new TextEncoder().encode(
    '{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"name":"n","labels":{"a":1}}}',
  );
  expect(v1.fromBytes(bytes)).toEqual(thing({ metadata: { name: "n", generation: 1 } }));
});

test("members are written in the order of their names, whatever these are", () => {
  const { value } = v1.decode(
    '{"kind":"Thing","apiVersion":"g.io/v1","metadata":{"labels":{"b":"","10":"","2":""}}}',
  );
  expect(v1.encode(v1.canonical(value))).toEqual(
    '{"apiVersion":"g.io/v1","kind":"Thing","metadata":{"labels":{"10":"","2":"","b":""}}}',
  );
});

test("a list names its own kind, and says where it ends", () => {
  expect(v1.listFrame({ resourceVersion: "5" }).join("…")).toEqual(
    '{"apiVersion":"g.io/v1","items":[…],"kind":"ThingList","metadata":{"continue":"","resourceVersion":"5"}}\n',
  );
});
