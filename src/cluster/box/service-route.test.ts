import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { serviceRouteProblem } from "./service-route.ts";

const route = { range: "10.0.0.0/24", address: "10.199.0.2", link: "wh1" };
const own = [
  { dst: "default", dev: "eth0" },
  { dst: "10.199.0.2", dev: "wh1" },
  { dst: "10.0.0.0/24", dev: "wh1" },
];
const home = [{ addr_info: [{ local: "192.168.0.5", prefixlen: 24 }] }];

each<
  [what: string, networks: Parameters<typeof serviceRouteProblem>[1], overlap: string | undefined]
>([
  ["its own route", { routes: own, addresses: home }, undefined],
  [
    "that of another cluster",
    { routes: [...own, { dst: "10.0.0.0/24", dev: "wh2" }], addresses: home },
    "10.0.0.0/24",
  ],
  [
    "a network of the machine",
    { routes: own, addresses: [{ addr_info: [{ local: "10.0.0.7", prefixlen: 8 }] }] },
    "10.0.0.7/8",
  ],
  ["a single address", { routes: [{ dst: "10.0.0.9", dev: "tun0" }], addresses: [] }, "10.0.0.9"],
])("serviceRouteProblem: the machine has %s", (_, networks, overlap) => {
  const problem = serviceRouteProblem(route, networks);
  if (overlap === undefined) expect(problem).toBeUndefined();
  else expect(problem).toContain(`10.0.0.0/24 overlaps ${overlap},`);
});
