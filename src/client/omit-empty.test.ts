import { expect, test } from "vitest";
import { EndpointSlice } from "../api/discovery/v1/endpoint-slice.ts";
import { VirtualClock } from "../base/virtual-clock.ts";
import { createClient } from "./client.ts";
import { scriptedTransport } from "./scripted-transport.test-support.ts";

const slice = {
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name: "a", labels: {} },
  addressType: "IPv4",
  endpoints: [{ addresses: ["10.0.0.1"], conditions: {} }],
  ports: [],
} as const;

async function written(omitEmpty: boolean): Promise<unknown[]> {
  const { transport, asked } = scriptedTransport(() => ({ body: slice }));
  const client = createClient(transport, { clock: new VirtualClock(), omitEmpty });
  await client.create(EndpointSlice, slice);
  await client.update(EndpointSlice, slice);
  return asked.map(({ body }) => body);
}

test("omitEmpty: empty lists and maps are not written, empty structs are", async () => {
  const body = { ...slice, metadata: { name: "a" }, ports: null };
  expect(await written(true)).toEqual([body, body]);
});

test("omitEmpty: by default, objects are written as they are", async () => {
  expect(await written(false)).toEqual([slice, slice]);
});
