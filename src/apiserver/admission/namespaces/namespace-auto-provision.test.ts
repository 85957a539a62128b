import { expect, test } from "vitest";
import { VirtualClock } from "../../../base/virtual-clock.ts";
import { openServer, send } from "../../in-process.test-support.ts";

const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };

async function ask(enable: readonly string[], query = "") {
  const server = await openServer(new VirtualClock(0), undefined, { admission: { enable } });
  const path = `/api/v1/namespaces/new/configmaps${query}`;
  const { status } = await send(server, { method: "POST", path, body });
  const { status: found, text } = await send(server, { path: "/api/v1/namespaces/new" });
  return { status, found, namespace: JSON.parse(text) as unknown };
}

test("namespaceAutoProvision: a namespace is created with the first object in it", async () => {
  expect(await ask(["NamespaceAutoProvision"])).toMatchObject({
    status: 201,
    found: 200,
    namespace: { spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } },
  });
});

test("namespaceAutoProvision: a dry run makes none, and so finds none", async () => {
  const outcome = await ask(["NamespaceAutoProvision"], "?dryRun=All");
  expect(outcome).toMatchObject({ status: 404, found: 404 });
});

test("namespaceAutoProvision: is disabled by default", async () => {
  expect(await ask([])).toMatchObject({ status: 404, found: 404 });
});
