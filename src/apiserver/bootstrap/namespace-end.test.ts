import { afterEach, beforeEach, expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { openServer, send } from "../in-process.test-support.ts";
import type { ApiServer } from "../server.ts";

let server: ApiServer;
beforeEach(async () => {
  server = await openServer(new VirtualClock(Date.UTC(2026, 0, 1)));
});
afterEach(() => server.close());

const path = "/api/v1/namespaces/n";

async function ask(method: string, to: string, body?: unknown) {
  const { status, text } = await send(server, { method, path: to, body });
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the responses.
  return { status, body: JSON.parse(text) as any };
}

const namespace = (finalizers: readonly string[] = [], more: object = {}) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "n", ...more },
  spec: { finalizers },
});
const create = (more: object = {}) => ask("POST", "/api/v1/namespaces", namespace([], more));
const state = async () => {
  const { status, body } = await ask("GET", path);
  if (status === 404) return "gone";
  return [body.status.phase, body.spec.finalizers ?? [], body.metadata.finalizers ?? []];
};

test("a namespace is removed when it is finalized", async () => {
  await create();
  const { status, body } = await ask("DELETE", path);
  expect([status, body.kind, body.status.phase]).toEqual([200, "Namespace", "Terminating"]);
  expect(await state()).toEqual(["Terminating", ["kubernetes"], []]);
  expect((await ask("PUT", `${path}/finalize`, namespace())).status).toEqual(200);
  expect(await state()).toEqual("gone");
});

test("a namespace that is not being deleted stays, although it is finalized", async () => {
  await create();
  await ask("PUT", `${path}/finalize`, namespace());
  expect(await state()).toEqual(["Active", [], []]);
});

test("finalizers in the metadata hold a namespace, too", async () => {
  await create({ finalizers: ["a.b/c"] });
  await ask("DELETE", path);
  await ask("PUT", `${path}/finalize`, namespace([], { finalizers: ["a.b/c"] }));
  expect(await state()).toEqual(["Terminating", [], ["a.b/c"]]);
  await ask("PUT", path, namespace());
  expect(await state()).toEqual("gone");
});

test("an update does not change the finalizers in the spec", async () => {
  await create();
  await ask("PUT", path, namespace(["a.b/own"]));
  expect(await state()).toEqual(["Active", ["kubernetes"], []]);
});

test("a namespace that was finalized before is removed when it is deleted again", async () => {
  await create();
  await ask("PUT", `${path}/finalize`, namespace());
  expect((await ask("DELETE", path)).body.status.phase).toEqual("Terminating");
  expect((await ask("DELETE", path)).status).toEqual(200);
  expect(await state()).toEqual("gone");
});

test("a dry run neither marks nor removes a namespace", async () => {
  await create();
  const { body } = await ask("DELETE", `${path}?dryRun=All`);
  expect(body.status.phase).toEqual("Terminating");
  expect(await state()).toEqual(["Active", ["kubernetes"], []]);
});
