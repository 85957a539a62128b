import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { Service } from "../../api/core/v1/service/service.ts";
import type { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import { SeededRandom } from "../../base/random.ts";
import { serviceAddress, type ToEndpoints } from "./cluster-service.ts";

const service = (spec: object): Service =>
  ({
    kind: "Service",
    apiVersion: "v1",
    metadata: { name: "s", namespace: "n" },
    spec: {
      type: "ClusterIP",
      clusterIP: "10.0.0.9",
      ports: [{ port: 443, name: "web" }],
      ...spec,
    },
    status: {},
  }) as unknown as Service;

const slice = (addressType: string, endpoints: readonly object[], owner = "s"): EndpointSlice =>
  ({
    kind: "EndpointSlice",
    apiVersion: "discovery.k8s.io/v1",
    metadata: { name: "s-1", namespace: "n", labels: { "kubernetes.io/service-name": owner } },
    addressType,
    endpoints,
    ports: [{ name: "web", port: 8443 }],
  }) as unknown as EndpointSlice;

const ready = { addresses: ["10.1.0.1"], conditions: { ready: true } };
const other = { addresses: ["10.1.0.2"], conditions: { ready: false } };

function address(
  found: Service | undefined,
  {
    slices,
    port = 443,
    toEndpoints = slices !== undefined,
  }: { slices?: readonly EndpointSlice[]; port?: number; toEndpoints?: ToEndpoints } = {},
) {
  const reader = { getCached: () => found, listCached: () => slices ?? [] } as never;
  const how = { toEndpoints, random: new SeededRandom(1) };
  return serviceAddress(reader, { namespace: "n", name: "s", port }, how);
}

each<[what: string, found: Service, slices: readonly EndpointSlice[] | undefined, host: string]>([
  ["the cluster IP", service({}), undefined, "10.0.0.9:443"],
  ["of a node port, too", service({ type: "NodePort" }), undefined, "10.0.0.9:443"],
  [
    "an external name, whatever its ports",
    service({ type: "ExternalName", externalName: "x.example.com", ports: [] }),
    undefined,
    "x.example.com:443",
  ],
  ["an endpoint that is ready", service({}), [slice("IPv4", [other, ready])], "10.1.0.1:8443"],
  [
    "one that does not say",
    service({}),
    [slice("IPv4", [{ addresses: ["10.1.0.3"] }])],
    "10.1.0.3:8443",
  ],
  [
    "one of the first family",
    service({ ipFamilies: ["IPv6", "IPv4"] }),
    [slice("IPv4", [ready]), slice("IPv6", [{ addresses: ["fd00::1"] }])],
    "fd00::1:8443",
  ],
])("serviceAddress: %s", (_, found, slices, expected) => {
  const { host, port } = address(found, slices ? { slices } : {});
  expect(`${host}:${port}`).toBe(expected);
});

each<[what: string, found: Service, host: string]>([
  ["an endpoint in place of a cluster IP", service({}), "10.1.0.1:8443"],
  [
    "an external name all the same",
    service({ type: "ExternalName", externalName: "x.example.com", clusterIP: undefined }),
    "x.example.com:443",
  ],
])("serviceAddress where cluster IPs are out of reach: %s", (_, found, expected) => {
  const slices = [slice("IPv4", [ready])];
  const { host, port } = address(found, { slices, toEndpoints: "of-cluster-ips" });
  expect(`${host}:${port}`).toBe(expected);
});

each<[what: string, find: () => unknown, error: string]>([
  ["no service", () => address(undefined), 'service "s" not found'],
  [
    "no cluster IP",
    () => address(service({ clusterIP: "None" })),
    'cannot route to service with ClusterIP "None"',
  ],
  [
    "no cluster IP, where cluster IPs are out of reach",
    () => address(service({ clusterIP: "None" }), { slices: [], toEndpoints: "of-cluster-ips" }),
    'cannot route to service with ClusterIP "None"',
  ],
  ["no port", () => address(service({}), { port: 1 }), 'no service port 1 found for service "s"'],
  [
    "no endpoint",
    () => address(service({}), { slices: [slice("IPv4", [other]), slice("IPv4", [ready], "t")] }),
    'no endpoints available for service "s"',
  ],
  [
    "a type without endpoints",
    () => address(service({ type: "ExternalName" }), { slices: [] }),
    'unsupported service type "ExternalName"',
  ],
])("serviceAddress: %s", (_, find, error) => {
  expect(find).toThrow(expect.objectContaining({ message: error }));
});
