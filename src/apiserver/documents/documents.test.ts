import { expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { openServer, send } from "../in-process.test-support.ts";

const server = await openServer(new VirtualClock());
const v2 = ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const v2beta1 = ";g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";

test.each([
  [`application/json${v2}`, `application/json${v2}`],
  [`application/json,application/json${v2}`, `application/json${v2}`],
  [`application/json${v2beta1},application/json${v2}`, `application/json${v2}`],
  [`application/yaml${v2}`, `application/yaml${v2}`],
  [`*/*${v2}`, `application/json${v2}`],
  [`application/json${v2beta1},application/json`, "application/json"],
  ["application/json", "application/json"],
])("a client that accepts %s gets %s", async (accept, contentType) => {
  for (const path of ["/api", "/apis"])
    expect(await send(server, { path, headers: { accept } })).toMatchObject({
      status: 200,
      headers: { "content-type": contentType },
    });
});

test("the form of aggregated discovery that is gone is not acceptable alone", async () => {
  const headers = { accept: `application/json${v2beta1}` };
  expect((await send(server, { path: "/apis", headers })).status).toBe(406);
});

test("aggregated discovery is not sent again to a client that has it", async () => {
  const accept = `application/json${v2}`;
  const { headers } = await send(server, { path: "/apis", headers: { accept } });
  const etag = String(headers.etag);
  expect(headers).toMatchObject({ vary: "Accept", "cache-control": "public" });
  const again = (known: string) =>
    send(server, { path: "/apis", headers: { accept, "if-none-match": known } });
  expect(await again(etag)).toMatchObject({ status: 304, headers: { etag }, text: "" });
  expect(await again('"another"')).toMatchObject({ status: 200, headers: { etag } });
});

test("aggregated discovery has groups in the order of their priorities, and those of others as stale", async () => {
  const path = "/apis/apiregistration.k8s.io/v1/apiservices";
  const spec = {
    group: "far.example.com",
    version: "v1",
    groupPriorityMinimum: 17_900,
    versionPriority: 1,
    service: { namespace: "n", name: "s" },
  };
  const body = { metadata: { name: "v1.far.example.com" }, spec };
  expect((await send(server, { method: "POST", path, body })).status).toBe(201);
  const { text } = await send(server, {
    path: "/apis",
    headers: { accept: `application/json${v2}` },
  });
  const { items } = JSON.parse(text) as { items: { metadata: { name: string } }[] };
  const plain = JSON.parse((await send(server, { path: "/apis" })).text) as {
    groups: { name: string }[];
  };
  const names = items.map(({ metadata }) => metadata.name);
  expect(names).toEqual(plain.groups.map(({ name }) => name));
  expect(names.slice(0, 3)).toEqual(["apiregistration.k8s.io", "far.example.com", "apps"]);
  expect(items[1]).toEqual({
    metadata: { name: "far.example.com" },
    versions: [{ version: "v1", freshness: "Stale" }],
  });
});
