import { afterAll, beforeAll, expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import {
  type Answer,
  type CustomServer,
  gear,
  gears,
  openCustom,
  version,
} from "./custom.test-support.ts";

let custom: CustomServer;
beforeAll(async () => {
  custom = await openCustom();
  const paths = {
    specReplicasPath: ".spec.teeth",
    statusReplicasPath: ".status.teeth",
    labelSelectorPath: ".spec.color",
  };
  await custom.define({ versions: [version({ subresources: { status: {}, scale: paths } })] });
  const post = (body: object) => custom.ask({ method: "POST", path: gears, body });
  await post(gear("scaled", { spec: { color: "a=b" } }));
  await post(gear("bare"));
});
afterAll(() => custom.close());

const patch = (path: string, body: unknown) =>
  custom.ask({
    method: "PATCH",
    path,
    headers: { "content-type": "application/merge-patch+json" },
    body,
  });

const scale = `${gears}/scaled/scale`;

test("a Scale shows what the paths lead to", async () => {
  const { body } = await custom.ask({ path: scale });
  expect([body.kind, body.spec, body.status]).toEqual([
    "Scale",
    { replicas: 8 },
    { replicas: 0, selector: "a=b" },
  ]);
});

test("a Scale changes the number, and who owns it", async () => {
  const { body } = await patch(`${scale}?fieldManager=scaler`, { spec: { replicas: 5 } });
  const { body: object } = await custom.ask({ path: `${gears}/scaled` });
  const owners = object.metadata.managedFields.map((entry: Record<string, unknown>) => [
    entry.manager,
    entry.subresource,
    entry.apiVersion,
    entry.fieldsV1,
  ]);
  expect([body.spec, object.spec.teeth, owners]).toEqual([
    { replicas: 5 },
    5,
    [
      ["scaler", "scale", "g.io/v1", { "f:spec": { "f:teeth": {} } }],
      ["unknown", undefined, "g.io/v1", { "f:spec": { ".": {}, "f:color": {} } }],
    ],
  ]);
});

each<[what: string, request: () => Promise<Answer>, status: number, message: string]>([
  [
    "is not shown where there is no number",
    () => custom.ask({ path: `${gears}/bare/scale` }),
    500,
    'Internal error occurred: the spec replicas field ".spec.teeth" does not exist',
  ],
  [
    "cannot leave the number out",
    () => patch(`${gears}/bare/scale`, { metadata: { labels: {} } }),
    400,
    'the spec replicas field ".spec.teeth" cannot be empty',
  ],
  [
    "has the rules of the object",
    () => patch(scale, { spec: { replicas: 101 } }),
    422,
    'Gear.g.io "scaled" is invalid: spec.teeth: Invalid value: 101: spec.teeth in body should be less than or equal to 100',
  ],
  [
    "is not negative",
    () => patch(scale, { spec: { replicas: -1 } }),
    422,
    'Gear.g.io "scaled" is invalid: .spec.teeth: Invalid value: -1: should be a non-negative integer',
  ],
])("a Scale %s", async (_, request, status, message) => {
  const answer = await request();
  expect([answer.status, answer.body.message]).toEqual([status, message]);
});

test("a Scale that says no version is for the one that is there", async () => {
  const body = {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name: "scaled", namespace: "default" },
    spec: { replicas: 6 },
  };
  const { status, body: answered } = await custom.ask({ method: "PUT", path: scale, body });
  expect([status, answered.spec]).toEqual([200, { replicas: 6 }]);
});

test("an object that has no number yet is given one by its Scale", async () => {
  await custom.ask({ method: "POST", path: gears, body: gear("first") });
  const { status, body } = await patch(`${gears}/first/scale`, { spec: { replicas: 4 } });
  expect([status, body.spec]).toEqual([200, { replicas: 4 }]);
});
