import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import type { EndpointSubset } from "../../api/core/v1/service/endpoint-subset.ts";
import type { Endpoints } from "../../api/core/v1/service/endpoints.ts";
import {
  countedAddresses,
  plannedEndpoints,
  type ServerAddresses,
  sliceOf,
  sliceStep,
} from "./kubernetes-endpoints.ts";

const mark = { "endpointslice.kubernetes.io/skip-mirror": "true" };
const ports = [{ name: "https", port: 6443, protocol: "TCP" }];
const others = [{ name: "https", port: 1, protocol: "TCP" }];
const at = (...ips: string[]) => ips.map((ip) => ({ ip }));

const endpoints = (
  subsets: EndpointSubset[],
  labels: Record<string, string> = mark,
): Endpoints => ({
  kind: "Endpoints",
  apiVersion: "v1",
  metadata: { name: "kubernetes", namespace: "default", labels },
  subsets,
});
const wanted = (addresses: string[], fixesPorts = false): ServerAddresses => ({
  addresses,
  port: 6443,
  fixesPorts,
});

type Row = [rule: string, current: Endpoints, wanted: ServerAddresses, next: Endpoints | undefined];
each<Row>([
  [
    "nothing is done where nothing is wrong",
    endpoints([{ addresses: at("10.1.0.2", "10.1.0.1"), ports }]),
    wanted(["10.1.0.1", "10.1.0.2"], true),
    undefined,
  ],
  [
    "there is one subset, with all servers",
    endpoints([], {}),
    wanted(["10.1.0.1", "10.1.0.2"]),
    endpoints([{ addresses: at("10.1.0.1", "10.1.0.2"), ports }]),
  ],
  [
    "of several subsets none is kept",
    endpoints([
      { addresses: at("10.1.0.1"), ports },
      { addresses: at("10.1.0.9"), ports: others },
    ]),
    wanted(["10.1.0.1"]),
    endpoints([{ addresses: at("10.1.0.1"), ports }]),
  ],
  [
    "a server that came is added, one that went is removed; ports stay as they are",
    endpoints([{ addresses: at("10.1.0.1", "10.1.0.3"), ports: others }]),
    wanted(["10.1.0.1", "10.1.0.2"]),
    endpoints([{ addresses: at("10.1.0.1", "10.1.0.2"), ports: others }]),
  ],
  [
    "one address twice is not two servers",
    endpoints([{ addresses: at("10.1.0.1", "10.1.0.1"), ports }]),
    wanted(["10.1.0.1", "10.1.0.2"]),
    endpoints([{ addresses: at("10.1.0.1", "10.1.0.2"), ports }]),
  ],
  [
    "ports are put right where that is asked for",
    endpoints([{ addresses: at("10.1.0.1"), ports: others }]),
    wanted(["10.1.0.1"], true),
    endpoints([{ addresses: at("10.1.0.1"), ports }]),
  ],
  [
    "a missing mark is a reason to write",
    endpoints([{ addresses: at("10.1.0.1"), ports }], { mine: "x" }),
    wanted(["10.1.0.1"]),
    endpoints([{ addresses: at("10.1.0.1"), ports }], { mine: "x", ...mark }),
  ],
  [
    "without servers there is no subset",
    endpoints([{ addresses: at("10.1.0.1"), ports }]),
    wanted([], true),
    endpoints([]),
  ],
])("endpoints of the servers: %s", (_, current, asked, next) => {
  expect(plannedEndpoints(current, asked)).toEqual(next);
});

test("endpoints of the servers: the slice has the same addresses and ports", () => {
  expect(sliceOf(endpoints([{ addresses: at("10.1.0.1", "fd00::1"), ports }]))).toEqual({
    kind: "EndpointSlice",
    apiVersion: "discovery.k8s.io/v1",
    metadata: {
      name: "kubernetes",
      namespace: "default",
      labels: { "kubernetes.io/service-name": "kubernetes" },
    },
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.1.0.1"], conditions: { ready: true } }],
    ports,
  });
  const ipv6 = sliceOf(endpoints([{ addresses: at("fd00::1"), notReadyAddresses: at("fd00::2") }]));
  expect([ipv6.addressType, ipv6.endpoints]).toEqual([
    "IPv6",
    [
      { addresses: ["fd00::1"], conditions: { ready: true } },
      { addresses: ["fd00::2"], conditions: { ready: false } },
    ],
  ]);
});

test("endpoints of the servers: a slice is replaced if its address type changes", () => {
  const ipv4 = sliceOf(endpoints([{ addresses: at("10.1.0.1"), ports }]));
  const ipv6 = sliceOf(endpoints([{ addresses: at("fd00::1"), ports }]));
  const labelled = { ...ipv4, metadata: { ...ipv4.metadata, labels: { a: "b" } } };
  expect([
    sliceStep(undefined, ipv4),
    sliceStep(ipv4, ipv4),
    sliceStep(ipv4, ipv6),
    sliceStep(labelled, ipv4),
    sliceStep({ ...ipv4, ports: others }, ipv4),
  ]).toEqual(["create", undefined, "replace", "update", "update"]);
});

each<[what: string, published: string[], own: string, count: number, addresses: string[]]>([
  ["the first server", [], "b", 2, ["b"]],
  ["one more", ["c"], "b", 2, ["b", "c"]],
  ["itself again", ["b", "c"], "b", 2, ["b", "c"]],
  ["one too many: the next one goes", ["a", "c"], "b", 2, ["a", "b"]],
  ["one too many after the last: the first one goes", ["a", "b"], "c", 2, ["b", "c"]],
  ["many too many", ["a", "b", "d", "e"], "c", 1, ["c"]],
])("countedAddresses: %s", (_, published, own, count, addresses) => {
  expect(countedAddresses(published, own, count)).toEqual(addresses);
});
