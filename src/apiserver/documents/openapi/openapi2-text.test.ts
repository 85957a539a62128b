import { expect, test } from "vitest";
import { ConfigMap } from "../../../api/core/v1/config-map.ts";
import { definitionOf, gearSchema, version } from "../../custom/custom.test-support.ts";
import { customKinds } from "../../custom/custom-kinds.ts";
import type { AnyKind } from "../../objects/object.ts";
import { Resources } from "../../objects/resources.ts";
import { OpenApi } from "./openapi-documents.ts";

const hash = (text: string): string => {
  let sum = 0;
  for (const character of text) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 2 ** 32;
  return sum.toString(16).padStart(8, "0");
};

function kindsOf(spec: object): readonly AnyKind[] {
  const definition = definitionOf(spec);
  const { names } = definition.spec;
  const acceptedNames = { listKind: `${names.kind}List`, ...names };
  const whole = { ...definition, spec: { ...definition.spec, names: acceptedNames } };
  return customKinds({ ...whole, status: { acceptedNames } } as never, {
    isTerminating: () => false,
  });
}
const schema = { openAPIV3Schema: gearSchema };
const scale = { specReplicasPath: ".spec.teeth", statusReplicasPath: ".status.teeth" };
const custom = [
  ...kindsOf({ versions: [version({ subresources: { status: {} } }), version({ name: "v2-a" })] }),
  ...kindsOf({ group: "a-b.k8s.io", names: { plural: "cogs", kind: "Cog" } }),
  ...kindsOf({
    scope: "Cluster",
    names: { plural: "worlds", kind: "World" },
    versions: [version({ schema, subresources: { status: {}, scale } })],
  }),
];
const all = [ConfigMap as unknown as AnyKind, ...custom];

const documents = (kinds: readonly AnyKind[], v2: readonly object[] = []): OpenApi =>
  new OpenApi({
    resources: new Resources(kinds),
    hash,
    version: "v1.36.0",
    hasOpenIdMetadata: false,
    remote: { changes: 1, v2: () => v2 as never, v3: () => new Map(), withoutV3: () => new Map() },
    now: () => 0,
  });
const textOf = (openApi: OpenApi): string => new TextDecoder().decode(openApi.v2().body);

test("v2: written kind by kind, it is the document that is written at once", () => {
  // Documents of other servers are merged as objects.
  expect(textOf(documents(all))).toBe(textOf(documents(all, [{}])));
});

test("v2: names of operations and tags have no dashes, and those of objects a version", () => {
  const { paths } = JSON.parse(textOf(documents(all)));
  const { get, ...item } = paths["/apis/a-b.k8s.io/v1/namespaces/{namespace}/cogs/{name}"];
  const parameters = get.parameters.map(({ $ref }: { $ref: string }) => $ref.replace(/-\w+$/, ""));
  const shared = item.parameters.map(({ name }: { name?: string }) => name);
  expect([get.operationId, get.tags, parameters, shared]).toEqual([
    "readABV1NamespacedCog",
    ["aB_v1"],
    ["#/parameters/resourceVersion"],
    // A name says of which kind it is.
    ["name", undefined, undefined],
  ]);
  expect(item.put.parameters[0].schema).toEqual({ $ref: "#/definitions/io.k8s.a-b.v1.Cog" });
  const other = paths["/apis/g.io/v2-a/gears"].get;
  expect([other.operationId, other.tags]).toEqual(["listGIoV2AGearForAllNamespaces", ["gIo_v2A"]]);
});

test("v2: a kind that comes, changes or goes is followed", () => {
  const resources = { groups: [], kinds: [] as readonly AnyKind[], of: () => [] };
  const options = { hash, version: "v1.36.0", hasOpenIdMetadata: false, now: () => 0 };
  const openApi = new OpenApi({ resources: resources as never, ...options });
  for (const kinds of [all, all.slice(0, 3), [...kindsOf({ scope: "Cluster" }), ...all.slice(3)]]) {
    const { groups } = new Resources(kinds);
    const held = new Resources(kinds);
    Object.assign(resources, { groups, kinds, of: held.of.bind(held) });
    expect(textOf(openApi)).toBe(textOf(documents(kinds)));
  }
});

test("v3: the hash of custom resources changes with their definitions, and is the etag of the document", () => {
  const name = "apis/g.io/v1";
  const indexed = (openApi: OpenApi): string => {
    const { paths } = JSON.parse(new TextDecoder().decode(openApi.v3Index().body));
    const hashed = new URLSearchParams(paths[name].serverRelativeURL.split("?")[1]).get("hash");
    expect(openApi.v3(name)?.etag).toBe(hashed);
    return hashed ?? "";
  };
  const of = (given: object) =>
    indexed(
      documents([ConfigMap as unknown as AnyKind, ...kindsOf({ versions: [version(given)] })]),
    );
  const first = of({});
  expect(of({})).toBe(first);
  const others = [
    of({ subresources: { status: {} } }),
    of({ schema: { openAPIV3Schema: { type: "object", description: "other" } } }),
    of({ selectableFields: [{ jsonPath: ".spec.color" }] }),
  ];
  expect(new Set([first, ...others]).size).toBe(4);
});
