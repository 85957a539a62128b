import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import type { EndpointSlice } from "../../../api/discovery/v1/endpoint-slice.ts";
import { endpointAddresses } from "./endpoint-addresses.ts";

const slice = (addresses: readonly string[], port?: number): EndpointSlice =>
  ({
    ports: port === undefined ? [] : [{ name: "http", port }],
    endpoints: addresses.map((address) => ({
      addresses: [address.replace("!", "")],
      conditions: { ready: !address.startsWith("!") },
    })),
  }) as unknown as EndpointSlice;

each<[name: string, slices: readonly EndpointSlice[], text: string]>([
  ["no slices", [], "<none>"],
  ["slices without endpoints", [slice([], 80)], ""],
  ["IPv6", [slice(["fd00::1"], 80)], "[fd00::1]:80"],
  ["no ports", [slice(["10.0.0.1"])], "10.0.0.1"],
  ["not ready", [slice(["!10.0.0.1", "10.0.0.2"], 80)], "10.0.0.2:80"],
  ["three", [slice(["a", "b"], 1), slice(["c"], 2)], "a:1,b:1,c:2"],
  ["more", [slice(["a", "b", "c", "d", "e"], 1)], "a:1,b:1,c:1 + 2 more..."],
  ["a fourth that is not ready", [slice(["a", "b", "c", "!d"], 1)], "a:1,b:1,c:1 + 0 more..."],
])("endpointAddresses: %s", (_, slices, text) => {
  expect(endpointAddresses(slices, "http")).toBe(text);
});
