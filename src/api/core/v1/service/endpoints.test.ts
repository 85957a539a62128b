import { expect, test } from "vitest";
import { each } from "../../../../../test/each.ts";
import { cellsOf, created, read, updated, warningsOf } from "../../../kind.test-support.ts";
import { Endpoints } from "./endpoints.ts";

const subset = (body: object) => ({ subsets: [{ addresses: [{ ip: "10.0.0.1" }], ...body }] });
const address = (body: object) => subset({ addresses: [{ ip: "10.0.0.1", ...body }] });
const at = "subsets[0]";

each<[rule: string, body: object, errors: readonly string[]]>([
  ["there may be none", {}, []],
  ["addresses need no ports", subset({}), []],
  [
    "addresses that are not ready are enough",
    { subsets: [{ notReadyAddresses: [{ ip: "10.0.0.1" }] }] },
    [],
  ],
  [
    "a subset has an address",
    { subsets: [{ ports: [{ port: 1 }] }] },
    [`${at}: Required value: must specify \`addresses\` or \`notReadyAddresses\``],
  ],
  [
    "an address is none with a special meaning",
    address({ ip: "169.254.1.1" }),
    [
      `${at}.addresses[0].ip: Invalid value: "169.254.1.1": may not be in the link-local range (169.254.0.0/16, fe80::/10)`,
    ],
  ],
  [
    "an address has no leading zeros",
    address({ ip: "10.0.0.01" }),
    [`${at}.addresses[0].ip: Invalid value: "10.0.0.01": must not have leading 0s`],
  ],
  [
    "the name of a node is a subdomain, also an empty one",
    address({ nodeName: "" }),
    [expect.stringContaining(`${at}.addresses[0].nodeName: Invalid value: "": a lowercase RFC`)],
  ],
  [
    "several ports have names",
    subset({ ports: [{ port: 1 }, { name: "b", port: 2 }] }),
    [`${at}.ports[0].name: Required value`],
  ],
  [
    "protocols are those of services",
    subset({ ports: [{ port: 1, protocol: "tcp" }] }),
    [`${at}.ports[0].protocol: Unsupported value: "tcp": supported values: "SCTP", "TCP", "UDP"`],
  ],
  [
    "a port has a number",
    subset({ ports: [{ port: 65536 }] }),
    [`${at}.ports[0].port: Invalid value: 65536: must be between 1 and 65535, inclusive`],
  ],
])("Endpoints: %s", (_, body, errors) => {
  expect(created(Endpoints, body)).toEqual(errors);
});

test("Endpoints: subsets that are not touched stay valid", () => {
  const old = address({ ip: "127.0.0.1" });
  expect([
    updated(Endpoints, old, { metadata: { labels: { a: "b" } }, ...old }),
    updated(Endpoints, old, address({ ip: "127.0.0.2" })).length,
  ]).toEqual([[], 1]);
});

test("Endpoints: a port is TCP if not said", () => {
  expect(read(Endpoints, subset({ ports: [{ port: 1 }] })).subsets?.[0]?.ports).toEqual([
    { port: 1, protocol: "TCP" },
  ]);
});

test("Endpoints: odd addresses are warned of, but for those of the controller", () => {
  const body = subset({ notReadyAddresses: [{ ip: "2001:DB8::1" }] });
  const labels = { "endpoints.kubernetes.io/managed-by": "endpoint-controller" };
  expect([
    warningsOf(Endpoints, body),
    warningsOf(Endpoints, { metadata: { labels }, ...body }),
  ]).toEqual([
    [
      `${at}.notReadyAddresses[0].ip: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")`,
    ],
    [],
  ]);
});

test("Endpoints: a row shows three addresses that are ready, port by port", () => {
  const addresses = [{ ip: "10.0.0.1" }, { ip: "2001:db8::1" }];
  const ports = [
    { name: "a", port: 1 },
    { name: "b", port: 2 },
  ];
  expect([
    cellsOf(Endpoints, {}),
    cellsOf(Endpoints, { subsets: [{ addresses, ports }] }),
    cellsOf(Endpoints, { subsets: [{ addresses }, { notReadyAddresses: addresses }] }),
  ]).toEqual([
    ["<none>"],
    ["10.0.0.1:1,[2001:db8::1]:1,10.0.0.1:2 + 1 more..."],
    ["10.0.0.1,2001:db8::1"],
  ]);
});
