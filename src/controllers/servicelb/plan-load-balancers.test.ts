import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { Service } from "../../api/core/v1/service/service.ts";
import { type Cidr, parseCidr } from "../../schema/values/ip.ts";
import { planLoadBalancers } from "./plan-load-balancers.ts";

interface Given {
  readonly name: string;
  readonly type?: string;
  readonly has?: readonly string[];
  readonly requests?: string;
  readonly loadBalancerClass?: string;
  readonly families?: readonly string[];
  readonly isDeleted?: boolean;
}

/** Services in the order of their age. */
const services = (given: readonly Given[]): readonly Service[] =>
  given
    .map(
      (
        { name, type = "LoadBalancer", has, requests, loadBalancerClass, families, isDeleted },
        i,
      ) => ({
        metadata: {
          ...{ name, namespace: "default", uid: name },
          creationTimestamp: `2026-01-01T00:00:0${i}Z`,
          ...(isDeleted && { deletionTimestamp: "2026-01-01T00:01:00Z" }),
        },
        spec: {
          type,
          loadBalancerIP: requests,
          loadBalancerClass,
          ipFamilies: families ?? ["IPv4"],
        },
        ...(has && {
          status: { loadBalancer: { ingress: has.map((ip) => ({ ip, ipMode: "VIP" })) } },
        }),
      }),
    )
    .reverse() as unknown as readonly Service[];

const range = (text: string): Cidr => {
  const parsed = parseCidr(text);
  if (!parsed) throw new Error(text);
  return parsed;
};

each<[name: string, ranges: string, given: readonly Given[], plans: readonly string[]]>([
  ["a new service gets the first free address", "10.0.0.0/29", [{ name: "a" }], ["a: 10.0.0.1"]],
  [
    "an address is kept, and not given again",
    "10.0.0.0/29",
    [{ name: "a" }, { name: "b", has: ["10.0.0.1"] }],
    ["a: 10.0.0.2", "b: 10.0.0.1"],
  ],
  [
    "of two with one address, the older keeps it",
    "10.0.0.0/29",
    [
      { name: "a", has: ["10.0.0.1"] },
      { name: "b", has: ["10.0.0.1"] },
    ],
    ["a: 10.0.0.1", "b: 10.0.0.2"],
  ],
  [
    "an address outside of the range is replaced",
    "10.0.0.0/29",
    [{ name: "a", has: ["10.9.0.1"] }],
    ["a: 10.0.0.1"],
  ],
  [
    "a requested address is given, also in place of another",
    "10.0.0.0/29",
    [{ name: "a", requests: "10.0.0.5", has: ["10.0.0.1"] }],
    ["a: 10.0.0.5"],
  ],
  [
    "a requested address that is used or elsewhere is a problem",
    "10.0.0.0/29",
    [
      { name: "a", has: ["10.0.0.5"] },
      { name: "b", requests: "10.0.0.5" },
      { name: "c", requests: "10.1.0.5" },
    ],
    ["a: 10.0.0.5", "b: (10.0.0.5 is used by default/a)", "c: (10.1.0.5 is not in 10.0.0.0/29)"],
  ],
  [
    "the first and the last address are not given",
    "10.0.0.0/30",
    [{ name: "a" }, { name: "b" }, { name: "c" }],
    ["a: 10.0.0.1", "b: 10.0.0.2", "c: (no address is free in 10.0.0.0/30)"],
  ],
  [
    "each family of the service that has a range",
    "10.0.0.0/29,fd00::/125",
    [
      { name: "a", families: ["IPv6", "IPv4"] },
      { name: "b", families: ["IPv6"] },
    ],
    ["a: 10.0.0.1 fd00::1", "b: fd00::2"],
  ],
  [
    "a service of a family without a range",
    "10.0.0.0/29",
    [{ name: "a", families: ["IPv6"] }],
    ["a:"],
  ],
  [
    "a service with a class, or of another type, is somebody else's",
    "10.0.0.0/29",
    [
      { name: "a", loadBalancerClass: "example.com/lb", has: ["10.0.0.1"] },
      { name: "b", type: "ClusterIP" },
    ],
    [],
  ],
  [
    "a service that is no load balancer any more, or is deleted, loses its address",
    "10.0.0.0/29",
    [
      { name: "a", type: "ClusterIP", has: ["10.0.0.1"] },
      { name: "b", isDeleted: true, has: ["10.0.0.2"] },
      { name: "c" },
    ],
    ["a:", "b:", "c: 10.0.0.1"],
  ],
])("planLoadBalancers: %s", (_, ranges, given, plans) => {
  const planned = planLoadBalancers(services(given), ranges.split(",").map(range));
  expect(
    planned.map(({ service, ingress, problem }) =>
      [
        `${service.metadata.name}:`,
        ...ingress.map(({ ip }) => ip),
        ...(problem ? [`(${problem})`] : []),
      ].join(" "),
    ),
  ).toEqual(plans);
});
