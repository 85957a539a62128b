import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import {
  chooseRanges,
  loadBalancerRanges,
  nodeAddress,
  type TakenRanges,
} from "./choose-ranges.ts";

const nothing: TakenRanges = { routes: [{ dst: "default" }], addresses: [], ranges: [] };
const address = (local: string, prefixlen: number) => ({ addr_info: [{ local, prefixlen }] });

each<[name: string, taken: Partial<TakenRanges>, nodes: string, pods: string, services: string]>([
  ["a machine with a default route only", {}, "10.199.0.0/24", "10.200.0.0/16", "10.0.0.0/24"],
  [
    "a route into the nodes' range",
    { routes: [{ dst: "10.199.0.128/25" }] },
    "10.199.1.0/24",
    "10.201.0.0/16",
    "10.0.0.0/24",
  ],
  [
    "a route to one address of the pods' range",
    { routes: [{ dst: "10.200.3.4" }] },
    "10.199.1.0/24",
    "10.201.0.0/16",
    "10.0.0.0/24",
  ],
  [
    "an address whose network contains them",
    { addresses: [address("10.200.0.9", 15)] },
    "10.199.2.0/24",
    "10.202.0.0/16",
    "10.0.0.0/24",
  ],
  [
    "another cluster",
    { ranges: ["10.199.0.0/24", "10.200.0.0/16", "10.0.0.0/24"] },
    "10.199.1.0/24",
    "10.201.0.0/16",
    "10.0.1.0/24",
  ],
  [
    "a private network that has all of 10.0.0.0/8",
    { routes: [{ dst: "10.0.0.0/8" }], addresses: [address("10.1.2.3", 32)] },
    "172.31.0.0/24",
    "172.30.0.0/16",
    "172.31.128.0/24",
  ],
  [
    "all private networks",
    { routes: [{ dst: "10.0.0.0/8" }, { dst: "172.16.0.0/12" }, { dst: "198.18.1.0/24" }] },
    "198.19.1.0/24",
    "198.18.32.0/19",
    "198.19.128.0/24",
  ],
  [
    "what is not IPv4",
    { routes: [{}, { dst: "fd00::/8" }, { dst: "0.0.0.0/0" }], addresses: [{}] },
    "10.199.0.0/24",
    "10.200.0.0/16",
    "10.0.0.0/24",
  ],
])("chooseRanges: %s", (_, taken, nodes, pods, services) => {
  expect(chooseRanges({ ...nothing, ...taken })).toEqual({
    ...{ nodes, pods, services, gateway: nodes.replace(".0/24", ".1") },
  });
});

test("chooseRanges: nothing is free", () => {
  const routes = ["10.0.0.0/8", "172.16.0.0/12", "198.18.0.0/15"].map((dst) => ({ dst }));
  expect(chooseRanges({ ...nothing, routes })).toBeUndefined();
});

test("nodeAddress: the first is after the gateway, the last before the load balancers' range", () => {
  const ranges = { nodes: "10.199.3.0/24", pods: "10.203.0.0/16", gateway: "10.199.3.1" };
  expect(nodeAddress(ranges, 0)).toBe("10.199.3.2");
  expect(nodeAddress(ranges, 125)).toBe("10.199.3.127");
  expect(() => nodeAddress(ranges, 126)).toThrow("10.199.3.0/24 has no address for 127 nodes");
  expect(loadBalancerRanges(ranges)).toEqual(["10.199.3.128/25"]);
  const both = loadBalancerRanges({ ...ranges, ipv6: "fd12:3456:789a" });
  expect(both).toEqual(["10.199.3.128/25", "fd12:3456:789a:0:8000::/112"]);
});
