import { expect, test } from "vitest";
import type { Service } from "../../api/core/v1/service/service.ts";
import type { IPAddress } from "../../api/networking/v1/ip-address.ts";
import { checkIpAddress, checkService, type World } from "./cluster-ip-checks.ts";

const start = Date.UTC(2026, 0, 1);
const at = (seconds: number) => new Date(start + seconds * 1000).toISOString().replace(".000", "");

const service = (name: string, spec: object = {}): Service =>
  ({
    metadata: { name, namespace: "default", creationTimestamp: at(0) },
    spec: { type: "ClusterIP", clusterIP: "10.0.0.5", clusterIPs: ["10.0.0.5"], ...spec },
  }) as unknown as Service;
const web = service("web");

const labels = {
  "ipaddress.kubernetes.io/ip-family": "IPv4",
  "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
};
const own = { resource: "services", namespace: "default", name: "web" };
const address = (parentRef: object = own, metadata: object = {}): IPAddress =>
  ({
    metadata: { name: "10.0.0.5", labels, creationTimestamp: at(0), ...metadata },
    spec: { parentRef },
  }) as unknown as IPAddress;

const world = (services: readonly Service[], addresses: readonly IPAddress[] = []): World => ({
  isInRange: ({ bits }) => bits >> 8n === 0x0a0000n,
  ipAddress: (name) => addresses.find(({ metadata }) => metadata.name === name),
  service: (namespace, name) =>
    services.find(({ metadata: m }) => m.namespace === namespace && m.name === name),
});

const allocation = (reason: string, note: string) => ({
  reason,
  action: "ClusterIPAllocation",
  note,
});
const repair = (how: string) => ({ address: "10.0.0.5", how });
const wrong = allocation(
  "ClusterIPNotAllocated",
  "the ClusterIP [IPv4]: 10.0.0.5 for Service default/web has a wrong reference; repairing",
);

test.each([
  ["a correct service needs no repair", [web], [address()], []],
  [
    "a missing IPAddress is created",
    [web],
    [],
    [
      {
        finding: allocation(
          "ClusterIPNotAllocated",
          "Cluster IP [IPv4]: 10.0.0.5 is not allocated; repairing",
        ),
        repair: repair("create"),
      },
    ],
  ],
  [
    "an IPAddress without a parent is recreated",
    [web],
    [address({ group: "example.com", resource: "gateways", name: "web" })],
    [{ finding: wrong, repair: repair("recreate") }],
  ],
  [
    "an IPAddress of a service that does not exist is recreated",
    [web],
    [address({ ...own, name: "gone" })],
    [{ finding: wrong, repair: repair("recreate") }],
  ],
  [
    "an IPAddress of a service with another address is recreated",
    [web, service("other", { clusterIPs: ["10.0.0.6"] })],
    [address({ ...own, name: "other" })],
    [],
  ],
  [
    "an address of two services is reported",
    [web, service("other")],
    [address({ ...own, name: "other" })],
    [
      {
        finding: allocation(
          "ClusterIPAlreadyAllocated",
          "Cluster IP [IPv4]:10.0.0.5 was assigned to multiple services; please recreate service",
        ),
      },
    ],
  ],
  [
    "an IPAddress without labels is recreated",
    [web],
    [address(own, { labels: {} })],
    [{ repair: repair("recreate") }],
  ],
  [
    "an IPAddress with the label of another family is recreated",
    [web],
    [address(own, { labels: { ...labels, "ipaddress.kubernetes.io/ip-family": "IPv6" } })],
    [{ repair: repair("recreate") }],
  ],
])("checkService: %s", (_, services, addresses, wanted) => {
  expect(checkService(web, world(services, addresses))).toEqual(wanted);
});

test.each([
  ["headless", { clusterIP: "None", clusterIPs: ["None"] }, []],
  ["external", { type: "ExternalName", clusterIP: undefined, clusterIPs: undefined }, []],
  [
    "out of range",
    { clusterIPs: ["10.9.0.5"] },
    [
      {
        finding: allocation(
          "ClusterIPOutOfRange",
          "Cluster IP [IPv4]: 10.9.0.5 is not within any configured Service CIDR; please recreate service",
        ),
      },
    ],
  ],
  [
    "without a valid address",
    { clusterIPs: ["nonsense"] },
    [
      {
        finding: {
          reason: "ClusterIPNotValid",
          action: "ClusterIPValidation",
          note: "Cluster IP <nil> is not a valid IP; please recreate Service",
        },
      },
    ],
  ],
])("checkService: a service that is %s", (_, spec, wanted) => {
  expect(checkService(service("web", spec), world([]))).toEqual(wanted);
});

const remove = (reason: string, note: string) => ({
  type: "remove",
  finding: { reason, action: "IPAddressAllocation", note },
});
const leaked = remove(
  "IPAddressNotAllocated",
  "IPAddress: 10.0.0.5 for Service default/web appears to have leaked: cleaning up",
);
const wrongReference = remove(
  "IPAddressWrongReference",
  "IPAddress: 10.0.0.5 for Service default/web has a wrong reference; cleaning up",
);
const external = service("web", { type: "ExternalName", clusterIPs: undefined });
const moved = service("web", { clusterIPs: ["10.0.0.6"] });

test.each([
  ["of its service", address(), [web], 1, undefined],
  ["of another manager", address(own, { labels: {} }), [], 1000, undefined],
  [
    "no service's",
    address({ group: "a.example", resource: "things", namespace: "n", name: "x" }),
    [],
    1,
    remove(
      "IPAddressNotAllocated",
      "IPAddress 10.0.0.5 appears to have been modified, not referencing a Service &ParentReference{Group:a.example,Resource:things,Namespace:n,Name:x,}: cleaning up",
    ),
  ],
  [
    "of a service that does not exist yet",
    address(),
    [],
    20,
    { type: "check again", afterMs: 40_001 },
  ],
  [
    "of a service that does not exist after a minute",
    address(),
    [],
    60,
    { type: "check again", afterMs: 1 },
  ],
  ["of a service that does not exist after more than a minute", address(), [], 61, leaked],
  [
    "of an external name, at first",
    address(),
    [external],
    20,
    { type: "check again", afterMs: 40_000 },
  ],
  ["of an external name", address(), [external], 60, wrongReference],
  ["of a service with another address", address(), [moved], 1, wrongReference],
  [
    "of a service that is being made a second time",
    address(own, { creationTimestamp: at(10) }),
    [moved],
    11,
    { type: "check again", afterMs: 5000 },
  ],
  [
    "of a service that was not made a second time",
    address(own, { creationTimestamp: at(10) }),
    [moved],
    15,
    wrongReference,
  ],
])("checkIpAddress: one that is %s", (_, object, services, seconds, wanted) => {
  expect(checkIpAddress(object, world(services), start + seconds * 1000)).toEqual(wanted);
});
