import { afterEach, beforeEach, expect, test } from "vitest";
import {
  openWebhookWorld,
  patching,
  type WebhookWorld,
} from "./admission-webhooks.test-support.ts";

let world: WebhookWorld;
beforeEach(async () => {
  world = await openWebhookWorld();
});
afterEach(() => world.close());

const maps = "/api/v1/namespaces/default/configmaps";
const create = (name: string, data: object = {}, query = "") =>
  world.ask({
    method: "POST",
    path: maps + query,
    body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data },
  });

test("a validating webhook denies the creation of an object", async () => {
  world.webhooks.set("deny", ({ object }) => ({
    allowed: object.data?.bad === undefined,
    status: { message: "this is bad", reason: "Forbidden", code: 403 },
  }));
  await world.configure("Validating", "a", [{ name: "deny" }]);
  expect((await create("good")).status).toBe(201);
  expect(await create("bad", { bad: "yes" })).toMatchObject({
    status: 403,
    body: {
      kind: "Status",
      status: "Failure",
      message: 'admission webhook "deny.w.io" denied the request: this is bad',
      reason: "Forbidden",
      code: 403,
    },
  });
});

test("mutating webhooks change an object one after the other, and the schema is checked after them", async () => {
  world.webhooks.set("one", () => patching({ op: "add", path: "/data/one", value: "1" }));
  world.webhooks.set("two", ({ object }) =>
    patching({ op: "add", path: "/data/two", value: object.data.one }),
  );
  await world.configure("Mutating", "b", [{ name: "two" }]);
  await world.configure("Mutating", "a", [{ name: "one" }]);
  expect(await create("m", { zero: "0" })).toMatchObject({
    status: 201,
    body: { data: { zero: "0", one: "1", two: "1" } },
  });
  world.webhooks.set("one", () => patching({ op: "add", path: "/data/one", value: 1 }));
  expect((await create("n", { zero: "0" })).body).toMatchObject({
    code: 500,
    reason: "InternalError",
    message:
      "Internal error occurred: json: cannot unmarshal number into Go struct field ConfigMap.data of type string",
  });
});
