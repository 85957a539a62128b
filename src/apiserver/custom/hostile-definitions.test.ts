import { afterEach, expect, onTestFinished, test } from "vitest";
import { type CustomServer, gear, gears, openCustom, version } from "./custom.test-support.ts";

/** Whatever a definition calls its members, no object of ours learns of them. */
afterEach(() => {
  expect(
    Object.getOwnPropertyNames(Object.prototype).filter((name) => !own.includes(name)),
  ).toEqual([]);
  expect(({} as Record<string, unknown>).replicas).toBeUndefined();
});
const own = Object.getOwnPropertyNames(Object.prototype);

const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

async function defined(more: object, schema: object = anything): Promise<CustomServer> {
  const custom = await openCustom();
  onTestFinished(() => custom.close());
  await custom.define({ versions: [version({ schema: { openAPIV3Schema: schema }, ...more })] });
  return custom;
}

/** A body whose members have names that a literal could not have. */
const odd = (spec: string): string =>
  `{"apiVersion":"g.io/v1","kind":"Gear","metadata":{"name":"a"},"spec":${spec}}`;
const post = (custom: CustomServer, body: string) =>
  custom.ask({ method: "POST", path: gears, body });

test.each(["__proto__", "constructor"])(
  "a Scale whose number is below %s is set in the object",
  async (name) => {
    const paths = {
      specReplicasPath: `.spec.${name}.replicas`,
      statusReplicasPath: ".status.replicas",
    };
    const custom = await defined({ subresources: { scale: paths } });
    expect((await post(custom, odd("{}"))).status).toBe(201);
    const scaled = await custom.ask({
      method: "PATCH",
      path: `${gears}/a/scale`,
      headers: { "content-type": "application/merge-patch+json" },
      body: { spec: { replicas: 5 } },
    });
    expect([scaled.status, scaled.body.spec]).toEqual([200, { replicas: 5 }]);
    const { body } = await custom.ask({ path: `${gears}/a` });
    expect(JSON.stringify(body.spec)).toBe(`{"${name}":{"replicas":5}}`);
  },
);

test("members that mean something to JavaScript are kept, defaulted, pruned and shown as others are", async () => {
  const names = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"];
  const member = {
    type: "object",
    properties: JSON.parse('{"__proto__":{"type":"string","default":"d"}}'),
  };
  const properties = JSON.parse(
    `{${names.map((name) => `"${name}":${JSON.stringify(member)}`).join(",")}}`,
  ) as object;
  const custom = await defined(
    {
      additionalPrinterColumns: names.map((name) => ({
        name,
        type: "string",
        jsonPath: `.spec.${name}.__proto__`,
      })),
    },
    { type: "object", properties: { spec: { type: "object", properties } } },
  );
  const spec = `{${names.map((name) => `"${name}":{"valueOf":"pruned"}`).join(",")}}`;
  const { status, body } = await post(custom, odd(spec));
  expect(status).toBe(201);
  const sorted = [...names].sort();
  expect(JSON.stringify(body.spec)).toBe(
    `{${sorted.map((name) => `"${name}":{"__proto__":"d"}`).join(",")}}`,
  );
  const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const table = await custom.ask({ path: gears, headers: { accept } });
  expect(table.body.rows[0].cells).toEqual(["a", "d", "d", "d", "d", "d"]);
});

test("columns and selectors that lead through nothing show and select nothing", async () => {
  const custom = await defined({
    additionalPrinterColumns: [
      { name: "A", type: "string", jsonPath: ".constructor.name" },
      { name: "B", type: "string", jsonPath: ".spec.__proto__.toString" },
    ],
  });
  expect((await post(custom, JSON.stringify(gear("a")))).status).toBe(201);
  const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const table = await custom.ask({ path: gears, headers: { accept } });
  expect(table.body.rows[0].cells).toEqual(["a", null, null]);
  for (const field of ["__proto__", "constructor", "spec.__proto__"]) {
    const { status, body } = await custom.ask({ path: `${gears}?fieldSelector=${field}%3D1` });
    expect([status, body.message]).toEqual([400, `field label not supported: ${field}`]);
  }
});

test.each([
  [
    "application/merge-patch+json",
    '{"spec":{"__proto__":{"replicas":1},"constructor":{"prototype":{"replicas":1}}}}',
  ],
  [
    "application/json-patch+json",
    '[{"op":"add","path":"/spec","value":{"__proto__":{"replicas":1}}},{"op":"add","path":"/spec/__proto__/more","value":2}]',
  ],
  [
    "application/apply-patch+yaml",
    odd('{"__proto__":{"replicas":1},"constructor":{"prototype":{"replicas":1}}}'),
  ],
])("patches of __proto__ change the object alone: %s", async (type, body) => {
  const custom = await defined({});
  if (!type.includes("apply")) await post(custom, odd("{}"));
  const { status, body: patched } = await custom.ask({
    method: "PATCH",
    path: `${gears}/a?${type.includes("apply") ? "fieldManager=m" : ""}`,
    headers: { "content-type": type },
    body,
  });
  expect(status).toBeLessThan(300);
  expect(JSON.stringify(patched.spec)).toContain('"__proto__":{');
});
