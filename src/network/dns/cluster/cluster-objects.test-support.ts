import type { Service } from "../../../api/core/v1/service/service.ts";
import type { EndpointSlice } from "../../../api/discovery/v1/endpoint-slice.ts";

/** A service, as far as DNS is concerned. */
export const serviceOf = (name: string, spec: object, namespace = "default"): Service =>
  ({ metadata: { name, namespace }, spec }) as unknown as Service;

export interface SliceParts {
  readonly name?: string;
  readonly namespace?: string;
  readonly addressType?: string;
  readonly ports?: readonly object[];
}

/** A slice of a service with endpoints. */
export const sliceOf = (
  service: string,
  endpoints: readonly object[],
  {
    name = `${service}-1`,
    namespace = "default",
    addressType = "IPv4",
    ports = [],
  }: SliceParts = {},
): EndpointSlice =>
  ({
    metadata: { name, namespace, labels: { "kubernetes.io/service-name": service } },
    ...{ addressType, endpoints, ports },
  }) as unknown as EndpointSlice;

const http = { name: "http", protocol: "TCP", port: 80 };
const dns = { name: "dns", protocol: "UDP", port: 53 };

/** A cluster with a service of each sort. */
export const someServices: readonly Service[] = [
  serviceOf("web", {
    clusterIP: "10.0.0.20",
    ports: [{ ...http }, { name: "dns", protocol: "UDP", port: 53 }],
  }),
  serviceOf("dual", {
    clusterIP: "10.0.0.21",
    clusterIPs: ["10.0.0.21", "fd00::21"],
    ports: [http],
  }),
  serviceOf("db", { clusterIP: "None", ports: [{ name: "sql", port: 5432 }] }),
  serviceOf("empty", { clusterIP: "None", ports: [http] }),
  serviceOf("portless", { clusterIP: "None" }),
  serviceOf("unnamed", { clusterIP: "10.0.0.22", ports: [{ port: 80 }] }),
  serviceOf("out", { type: "ExternalName", externalName: "www.Example.com" }),
  serviceOf("inside", { type: "ExternalName", externalName: "web.default.svc.cluster.local" }),
  serviceOf("address", { type: "ExternalName", externalName: "192.0.2.1" }),
  serviceOf("circle", { type: "ExternalName", externalName: "circle.default.svc.cluster.local" }),
  serviceOf("lost", { type: "ExternalName", externalName: "absent.default.svc.cluster.local" }),
];

export const someSlices: readonly EndpointSlice[] = [
  sliceOf("web", [{ addresses: ["10.1.0.1"] }], { ports: [http, dns] }),
  sliceOf(
    "db",
    [
      { addresses: ["10.1.0.2"], hostname: "db-0" },
      { addresses: ["10.1.0.3"], conditions: { ready: true } },
      { addresses: ["10.1.0.4"], hostname: "db-2", conditions: { ready: false } },
    ],
    { ports: [{ name: "sql", protocol: "TCP", port: 5432 }] },
  ),
  sliceOf("db", [{ addresses: ["fd00:1::2"], hostname: "db-0" }, { addresses: ["fd00:1::"] }], {
    name: "db-2",
    addressType: "IPv6",
    ports: [{ name: "sql", protocol: "TCP", port: 5432 }],
  }),
  sliceOf("db", [{ addresses: ["db.example.com"] }], { name: "db-3", addressType: "FQDN" }),
  sliceOf("portless", [{ addresses: ["10.1.0.5"] }]),
];
