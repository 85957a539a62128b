import { expect, test } from "vitest";
import type { IPAddress } from "../../api/networking/v1/ip-address.ts";
import { serviceServer } from "./service-server.test-support.ts";

const group = "/apis/networking.k8s.io/v1";
const addresses = `${group}/ipaddresses`;
const ipAddress = (name: string, type: string) => ({
  kind: "IPAddress",
  apiVersion: "networking.k8s.io/v1",
  metadata: { name, labels: { type } },
  spec: {
    parentRef: { group: "mygroup", resource: "myresources", namespace: "foo", name: "bar" },
  },
});

test("clients can create IPAddresses, in range or not", async () => {
  const { request, clock } = await serviceServer();
  const made = await request("POST", addresses, ipAddress("255.255.255.255", "broadcast"));
  const link = await request("POST", addresses, ipAddress("fe80::42:1dff:fe84:f9e2", "link-local"));
  expect([made.status, link.status]).toEqual([201, 201]);

  const one = `${addresses}/255.255.255.255`;
  const patch = { metadata: { annotations: { patched: "true" } } };
  const patched = (await request("PATCH", one, patch)).body as IPAddress;
  expect(patched.metadata.annotations).toEqual({ patched: "true" });
  const annotations = { ...patched.metadata.annotations, updated: "true" };
  const update = { ...patched, metadata: { ...patched.metadata, annotations } };
  expect((await request("PUT", one, update)).body).toMatchObject({ metadata: { annotations } });

  // They belong to no service, so they are not repaired.
  await clock.advance(10 * 60_000);
  const list = async (query: string) =>
    ((await request("GET", `${addresses}${query}`)).body as { items: IPAddress[] }).items.map(
      ({ metadata }) => metadata.name,
    );
  expect(await list("?labelSelector=type%3Dbroadcast")).toEqual(["255.255.255.255"]);
  expect((await request("DELETE", one)).status).toBe(200);
  await request("DELETE", `${addresses}?labelSelector=type%3Dlink-local`);
  expect(await list("")).toEqual(["10.0.0.1"]);
});

test("the parent of an IPAddress cannot change, and its name must be an address", async () => {
  const { request } = await serviceServer();
  const { body } = await request("POST", addresses, ipAddress("10.9.9.9", "a"));
  const moved = { spec: { parentRef: { name: "other" } } };
  expect(await request("PATCH", `${addresses}/10.9.9.9`, moved)).toMatchObject({
    status: 422,
    body: {
      message:
        'IPAddress.networking.k8s.io "10.9.9.9" is invalid: spec.parentRef: Invalid value: {"Group":"mygroup","Resource":"myresources","Namespace":"foo","Name":"other"}: field is immutable',
    },
  });
  const odd = { ...(body as object), metadata: { name: "010.9.9.9" } };
  expect((await request("POST", addresses, odd)).status).toBe(422);
});

test("the default ServiceCIDR has a status, and discovery lists both kinds", async () => {
  const { request } = await serviceServer();
  const range = `${group}/servicecidrs/kubernetes`;
  const [whole, status] = [await request("GET", range), await request("GET", `${range}/status`)];
  expect(status).toEqual(whole);
  const { resources } = (await request("GET", group)).body as {
    resources: { name: string; verbs: string[] }[];
  };
  const verbs = (of: string) => resources.find(({ name }) => name === of)?.verbs;
  const all = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
  expect([verbs("ipaddresses"), verbs("servicecidrs"), verbs("servicecidrs/status")]).toEqual([
    all,
    all,
    ["get", "patch", "update"],
  ]);
});
