import { expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { openServer, send } from "../in-process.test-support.ts";

const path = "/api/v1/namespaces/default/configmaps";

async function openWith(...objects: object[]) {
  const server = await openServer(new VirtualClock(0));
  for (const metadata of objects)
    await send(server, {
      method: "POST",
      path,
      body: { apiVersion: "v1", kind: "ConfigMap", metadata },
    });
  return server;
}

test.each([
  [{ orphanDependents: false }, 202],
  [{ propagationPolicy: "Background" }, 200],
  [{}, 200],
])("deleteOne: what a finalizer holds, deleted with %j: %i", async (body, status) => {
  const server = await openWith({ name: "a", finalizers: ["a/b"] });
  expect((await send(server, { method: "DELETE", path: `${path}/a`, body })).status).toEqual(
    status,
  );
});

test("deleteOne: an object that is removed at once is never answered with 202", async () => {
  const server = await openWith({ name: "a" });
  const body = { orphanDependents: false };
  expect((await send(server, { method: "DELETE", path: `${path}/a`, body })).status).toEqual(200);
});

test("deleteCollection: invalid options are rejected, even if there is nothing to delete", async () => {
  const server = await openWith();
  const request = { method: "DELETE", path: `${path}?labelSelector=none`, body: { dryRun: ["x"] } };
  expect((await send(server, request)).status).toEqual(422);
});

test("deleteCollection: a limit, selectors and a dry run count", async () => {
  const labels = { app: "web" };
  const server = await openWith({ name: "a", labels }, { name: "b" }, { name: "c", labels });
  const names = async (method: string, query: string) => {
    const { text } = await send(server, { method, path: `${path}?labelSelector=app${query}` });
    const { items } = JSON.parse(text) as { items: { metadata: { name: string } }[] };
    return items.map(({ metadata }) => metadata.name);
  };
  expect(await names("DELETE", "&dryRun=All")).toEqual(["a", "c"]);
  expect(await names("GET", "")).toEqual(["a", "c"]);
  expect(await names("DELETE", "&limit=1")).toEqual(["a"]);
  expect(await names("GET", "")).toEqual(["c"]);
});
