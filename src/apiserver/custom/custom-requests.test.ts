import { afterAll, beforeAll, expect, test } from "vitest";
import { send } from "../in-process.test-support.ts";
import {
  type Answer,
  type CustomServer,
  gear,
  gearSchema,
  gears,
  openCustom,
  version,
} from "./custom.test-support.ts";

let custom: CustomServer;
beforeAll(async () => {
  custom = await openCustom();
  await custom.define({
    versions: [
      version({
        subresources: { status: {} },
        selectableFields: [{ jsonPath: ".spec.color" }, { jsonPath: ".spec.teeth" }],
        additionalPrinterColumns: [
          { name: "Teeth", type: "integer", jsonPath: ".spec.teeth", priority: 2 },
          { name: "All", type: "string", jsonPath: ".spec", description: "all of it" },
        ],
      }),
      version({
        name: "v2",
        storage: false,
        schema: { openAPIV3Schema: { ...gearSchema, description: "A gear." } },
      }),
    ],
  });
  await custom.define({
    scope: "Cluster",
    names: { plural: "worlds", kind: "World" },
    versions: [version({ schema: { openAPIV3Schema: { type: "object" } } })],
  });
  await post(gear("kept", { spec: { color: "red" } }));
});
afterAll(() => custom.close());

const post = (body: object, path = gears) => custom.ask({ method: "POST", path, body });
const patch = (path: string, body: unknown, type = "application/merge-patch+json") =>
  custom.ask({ method: "PATCH", path, headers: { "content-type": type }, body });
const told = ({ status, body }: Answer) => [status, body.message];

test("an object may say that it is of another kind, which its rules refuse", async () => {
  expect(told(await post({ ...gear("a"), kind: "Wheel" }))).toEqual([
    422,
    'Wheel.g.io "a" is invalid: kind: Invalid value: "Wheel": must be Gear',
  ]);
});

test("objects have no protobuf form; the error for it is in protobuf", async () => {
  const accept = "application/vnd.kubernetes.protobuf";
  const { status, headers, body } = await custom.ask({
    path: `${gears}/kept`,
    headers: { accept },
  });
  expect([status, headers["content-type"], body]).toEqual([
    406,
    accept,
    expect.stringMatching(/only the following media types are accepted: application\/json, /),
  ]);
});

test("metadata alone is there in protobuf", async () => {
  const accept = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
  expect((await custom.ask({ path: `${gears}/kept`, headers: { accept } })).status).toBe(200);
});

test("a client that prefers protobuf gets JSON where it accepts that, too", async () => {
  const accept = "application/vnd.kubernetes.protobuf,application/json";
  const { headers } = await custom.ask({ path: `${gears}/kept`, headers: { accept } });
  expect(headers["content-type"]).toBe("application/json");
});

test("a POST to the path of an object creates what it says", async () => {
  const { status, body } = await post(gear("made"), `${gears}/other`);
  expect([status, body.metadata.name]).toEqual([201, "made"]);
});

test("an object is read and written in every version, and stored in one", async () => {
  const v2 = gears.replace("v1", "v2");
  await post({ ...gear("two", { spec: { teeth: 2 } }), apiVersion: "g.io/v2" }, v2);
  const [one, two] = [
    await custom.ask({ path: `${gears}/two` }),
    await custom.ask({ path: `${v2}/two` }),
  ];
  expect([one.body.apiVersion, two.body.apiVersion, one.body.spec]).toEqual([
    "g.io/v1",
    "g.io/v2",
    { teeth: 2 },
  ]);
  const entry = await custom.store.get("/registry/g.io/gears/default/two");
  const stored = JSON.parse(new TextDecoder().decode(entry?.value));
  expect([stored.apiVersion, stored.metadata.resourceVersion]).toEqual(["g.io/v1", undefined]);
  const { body } = await custom.ask({ path: v2 });
  expect([
    body.apiVersion,
    body.kind,
    body.items.every((item: Answer["body"]) => item.apiVersion === "g.io/v2"),
  ]).toEqual(["g.io/v2", "GearList", true]);
});

test("the generation counts changes of all but metadata and status", async () => {
  await post(gear("counted", { spec: {}, status: { teeth: 1 } }));
  const generations: number[] = [];
  for (const [path, body] of [
    ["", { metadata: { labels: { a: "b" } } }],
    ["", { spec: { color: "x" } }],
    ["", { status: { teeth: 2 } }],
    ["/status", { status: { teeth: 3 }, spec: { color: "y" }, metadata: { labels: { c: "d" } } }],
  ] as const)
    generations.push((await patch(`${gears}/counted${path}`, body)).body.metadata.generation);
  const { body } = await custom.ask({ path: `${gears}/counted` });
  expect([generations, body.spec, body.status, body.metadata.labels]).toEqual([
    [1, 2, 2, 2],
    { teeth: 8, color: "x" },
    { teeth: 3 },
    { a: "b" },
  ]);
});

test("tables show the columns of the definition", async () => {
  const accept = "application/json;as=Table;g=meta.k8s.io;v=v1";
  const { body } = await custom.ask({ path: `${gears}/kept`, headers: { accept } });
  const columns = body.columnDefinitions.map((column: Record<string, unknown>) => [
    column.name,
    column.type,
    column.description,
    column.priority,
  ]);
  expect([columns.slice(1), body.rows[0].cells]).toEqual([
    [
      [
        "Teeth",
        "integer",
        "Custom resource definition column (in JSONPath format): .spec.teeth",
        2,
      ],
      ["All", "string", "all of it", 0],
    ],
    ["kept", 8, '{"color":"red","teeth":8}'],
  ]);
  const { body: worlds } = await custom.ask({ path: "/apis/g.io/v1/worlds", headers: { accept } });
  expect([worlds.columnDefinitions.map(({ name }: { name: string }) => name), worlds.rows]).toEqual(
    [["Name", "Age"], []],
  );
});

test("tables have metadata in the order of PartialObjectMetadata", async () => {
  await post(gear("labelled", { metadata: { name: "labelled", labels: { a: "b" } } }));
  const accept = "application/json;as=Table;g=meta.k8s.io;v=v1";
  const { body } = await custom.ask({ path: `${gears}/labelled`, headers: { accept } });
  expect(
    Object.keys(body.rows[0].object.metadata).filter((name) => name !== "managedFields"),
  ).toEqual([
    "name",
    "namespace",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "labels",
  ]);
});

test("a dry run responds with what reading the object would give", async () => {
  const schema = (...names: string[]) => {
    const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
    const status = {
      type: "object",
      default: { seen: -1 },
      properties: { seen: { type: "integer" } },
    };
    const openAPIV3Schema = {
      type: "object",
      properties: { spec: { type: "object", properties }, status },
    };
    return { schema: { openAPIV3Schema }, subresources: { status: {} } };
  };
  await custom.define({
    names: { plural: "cogs", kind: "Cog" },
    versions: [
      version(schema("both")),
      version({ name: "v2", storage: false, ...schema("both", "later") }),
    ],
  });
  const cogs = "/apis/g.io/v2/namespaces/default/cogs";
  const cog = {
    apiVersion: "g.io/v2",
    kind: "Cog",
    metadata: { name: "a" },
    spec: { both: "x", later: "y" },
  };
  const shown = ({ body: { spec, status } }: Answer) => ({ spec, status });
  const read = { spec: { both: "x" }, status: { seen: -1 } };
  expect(shown(await post(cog, `${cogs}?dryRun=All`))).toEqual(read);
  expect(shown(await post(cog, cogs))).toEqual(read);
  const spec = { later: "z" };
  expect(shown(await patch(`${cogs}/a?dryRun=All`, { spec }))).toEqual(read);
  expect(shown(await patch(`${cogs}/a/status?dryRun=All`, { status: null }))).toEqual(read);
});

test("an apply that changes nothing adds no defaults that the stored version lacks", async () => {
  const properties = { both: { type: "string" } };
  const schema = (more: object) => ({
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: { spec: { type: "object", properties: { ...properties, ...more } } },
      },
    },
  });
  await custom.define({
    names: { plural: "pins", kind: "Pin" },
    versions: [
      version({
        name: "v2",
        storage: false,
        ...schema({ late: { type: "string", default: "x" } }),
      }),
      version(schema({})),
    ],
  });
  const pins = "/apis/g.io/v2/namespaces/default/pins";
  const pin = { apiVersion: "g.io/v2", kind: "Pin", metadata: { name: "a" }, spec: { both: "b" } };
  expect((await post(pin, pins)).body.metadata.generation).toBe(1);
  const apply = (spec: object) =>
    patch(`${pins}/a?fieldManager=m&force=true`, { ...pin, spec }, "application/apply-patch+yaml");
  expect((await apply({ both: "b" })).body.metadata.generation).toBe(1);
  expect((await apply({ both: "c" })).body.metadata.generation).toBe(2);
  // An update is always completed, and so differs from what was read.
  expect((await patch(`${pins}/a`, { metadata: { labels: { a: "b" } } })).body).toMatchObject({
    metadata: { generation: 3 },
    spec: { both: "c" },
  });
});

test("a new object whose status does not have the shape of its kind has no managers", async () => {
  const status = { teeth: "many" };
  const { body } = await post(gear("misshapen", { spec: { teeth: 3 }, status }));
  expect([body.metadata.managedFields, body.status]).toEqual([undefined, undefined]);
});

test("objects are selected by the fields of the definition", async () => {
  const names = async (selector: string) => {
    const { body } = await custom.ask({
      path: `${gears}?fieldSelector=${encodeURIComponent(selector)}`,
    });
    return body.items.map((item: Answer["body"]) => item.metadata.name);
  };
  expect([
    await names("spec.color=red"),
    await names("spec.teeth=2"),
    await names("spec.color=red,metadata.name!=kept"),
  ]).toEqual([["kept"], ["two"], []]);
});

test("a watch sends events in its own version, and objects that become selected", async () => {
  const path = "/apis/g.io/v2/namespaces/default/gears";
  const { body: list } = await custom.ask({ path });
  const from = list.metadata.resourceVersion;
  await post(gear("seen", { spec: { color: "blue" } }));
  await patch(`${gears}/seen`, { spec: { color: "red" } });
  const query = `watch=true&resourceVersion=${from}&fieldSelector=metadata.name=seen&timeoutSeconds=1`;
  const watch = send(custom.server, { path: `${path}?${query}` });
  await custom.clock.advance(1000);
  const { text } = await watch;
  const events = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(events.map(({ type, object }) => [type, object.apiVersion, object.spec.color])).toEqual([
    ["ADDED", "g.io/v2", "blue"],
    ["MODIFIED", "g.io/v2", "red"],
  ]);
});

test("an update accepts values that were invalid before", async () => {
  const narrow = structuredClone(gearSchema);
  narrow.properties.spec.properties.teeth.maximum = 10;
  await custom.define({ group: "later.io" });
  const path = "/apis/later.io/v1/namespaces/default/gears";
  await post({ ...gear("a", { spec: { teeth: 50 } }), apiVersion: "later.io/v1" }, path);
  await patch("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gears.later.io", {
    spec: { versions: [version({ schema: { openAPIV3Schema: narrow } })] },
  });
  const changed = await patch(`${path}/a`, { spec: { color: "x" } });
  const wrong = await patch(`${path}/a`, { spec: { teeth: 49 } });
  expect([changed.status, wrong.status]).toEqual([200, 422]);
});

test("objects of a definition that converts by a webhook are there in the version they are stored in", async () => {
  await custom.define({
    group: "hook.io",
    versions: [version({}), version({ name: "v2", storage: false })],
    conversion: {
      strategy: "Webhook",
      webhook: {
        conversionReviewVersions: ["v1"],
        clientConfig: { url: "https://hook.example/convert" },
      },
    },
  });
  const path = "/apis/hook.io/v1/namespaces/default/gears";
  const { status } = await post({ ...gear("a"), apiVersion: "hook.io/v1" }, path);
  const other = await custom.ask({ path: `${path.replace("v1", "v2")}/a` });
  expect([status, other.status, other.body.message]).toEqual([
    201,
    500,
    expect.stringMatching(/^conversion webhook for hook\.io\/v1, Kind=Gear failed: Post /),
  ]);
});

test("managers may apply in versions of their own", async () => {
  const apply = (manager: string, at: string, spec: object) =>
    patch(
      `/apis/g.io/${at}/namespaces/default/gears/shared?fieldManager=${manager}`,
      { apiVersion: `g.io/${at}`, kind: "Gear", metadata: { name: "shared" }, spec },
      "application/apply-patch+yaml",
    );
  await apply("one", "v1", { color: "red" });
  await apply("two", "v2", { teeth: 3 });
  const refused = await apply("two", "v2", { color: "blue", teeth: 3 });
  expect(told(refused)).toEqual([
    409,
    'Apply failed with 1 conflict: conflict with "one": .spec.color',
  ]);
  const { body } = await apply("one", "v1", {});
  const owners = body.metadata.managedFields.map((entry: Record<string, unknown>) => [
    entry.manager,
    entry.apiVersion,
    entry.fieldsV1,
  ]);
  expect([body.spec, owners]).toEqual([
    { teeth: 3 },
    [
      ["one", "g.io/v1", { "f:spec": {} }],
      ["two", "g.io/v2", { "f:spec": { "f:teeth": {} } }],
    ],
  ]);
});

test("warnings: finalizers without a domain", async () => {
  const { headers } = await post(
    gear("held", { metadata: { name: "held", finalizers: ["hold", "a.b", "orphan", "x.io/y"] } }),
  );
  expect(headers.warning).toEqual([
    '299 - "metadata.finalizers: \\"a.b\\": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers"',
    '299 - "metadata.finalizers: \\"hold\\": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers"',
  ]);
});

const big = "9223372036854775807";

test("an integer of 64 bits stays what it is, however an object is written and read", async () => {
  await custom.define({
    names: { plural: "stars", kind: "Star" },
    versions: [
      version({
        schema: {
          openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        },
        additionalPrinterColumns: [{ name: "Mass", type: "integer", jsonPath: ".mass" }],
      }),
    ],
  });
  const stars = "/apis/g.io/v1/namespaces/default/stars";
  const star = (more: string) =>
    `{"apiVersion":"g.io/v1","kind":"Star","metadata":{"name":"sun"},"mass":${big}${more}}`;
  const ask = async (method: string, path: string, headers = {}, body?: string) => {
    const request = { method, path, headers, ...(body !== undefined && { body }) };
    const { status, text } = await send(custom.server, request);
    return [status, text.includes(big)];
  };
  const patching = (type: string) => ({ "content-type": `application/${type}` });
  const one = `${stars}/sun`;
  expect(await ask("POST", stars, {}, star(""))).toEqual([201, true]);
  expect(await ask("GET", one)).toEqual([200, true]);
  expect(await ask("GET", one, { accept: "application/yaml" })).toEqual([200, true]);
  expect(await ask("GET", stars)).toEqual([200, true]);
  const table = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
  expect(await ask("GET", `${stars}?includeObject=Object`, table)).toEqual([200, true]);
  const merge = patching("merge-patch+json");
  expect(await ask("PATCH", one, merge, '{"moons":1}')).toEqual([200, true]);
  expect(await ask("PATCH", one, merge, `{"half":${big}}`)).toEqual([200, true]);
  const add = `[{"op":"test","path":"/mass","value":${big}}]`;
  expect(await ask("PATCH", one, patching("json-patch+json"), add)).toEqual([200, true]);
  const applied = `${one}?fieldManager=me&force=true`;
  const apply = patching("apply-patch+yaml");
  expect(await ask("PATCH", applied, apply, star(',"rings":2'))).toEqual([200, true]);
  const { text } = await send(custom.server, { path: stars, headers: table });
  expect(text).toContain(`"cells":["sun",${big}]`);
});

test("a number beyond all bounds is refused", async () => {
  const body = `{"apiVersion":"g.io/v1","kind":"World","metadata":{"name":"w"},"x":1e400}`;
  expect(
    (await send(custom.server, { method: "POST", path: "/apis/g.io/v1/worlds", body })).status,
  ).toBe(400);
});
