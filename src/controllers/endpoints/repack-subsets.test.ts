import { expect, test } from "vitest";
import type { EndpointSubset } from "../../api/core/v1/service/endpoint-subset.ts";
import { repackSubsets } from "./repack-subsets.ts";

/** `1:2,3!:80`: addresses 1 to 3, the last not ready, with port 80. */
function subset(text: string): EndpointSubset {
  const [hosts = "", port] = text.split(":");
  const all = hosts.split(",").map((host) => ({
    address: { ip: `10.0.0.${host.replace("!", "")}` },
    isReady: !host.endsWith("!"),
  }));
  return {
    addresses: all.filter(({ isReady }) => isReady).map(({ address }) => address),
    notReadyAddresses: all.filter(({ isReady }) => !isReady).map(({ address }) => address),
    ...(port && { ports: port.split("+").map((n) => ({ port: Number(n), protocol: "TCP" })) }),
  } as EndpointSubset;
}

function textOf({ addresses = [], notReadyAddresses = [], ports = [] }: EndpointSubset): string {
  const last = (ip: string): string => ip.split(".").at(-1) ?? "";
  const hosts = [
    ...addresses.map(({ ip }) => last(ip)),
    ...notReadyAddresses.map(({ ip }) => `${last(ip)}!`),
  ];
  const numbers = ports.map(({ port }) => port).sort((a, b) => a - b);
  return `${hosts.join(",")}${numbers.length > 0 ? `:${numbers.join("+")}` : ""}`;
}

test.each<[string, readonly string[], readonly string[]]>([
  ["nothing is nothing", [], []],
  ["addresses with the same port are together", ["1:80", "2:80"], ["1,2:80"]],
  ["ports of the same addresses are together", ["1:80", "1:81"], ["1:80+81"]],
  ["addresses are sorted as texts", ["2:80", "10:80", "1:80"], ["1,10,2:80"]],
  ["ready or not, they share ports", ["1:80", "2!:80"], ["1,2!:80"]],
  [
    "an address that is ready for some ports only is listed twice",
    ["1:80", "1!:81"],
    ["1!:81", "1:80"],
  ],
  ["an address that is not ready in one subset is not ready", ["1:80", "1!:80"], ["1!:80"]],
  ["each once", ["1:80", "1:80"], ["1:80"]],
  ["without ports there is a subset, too", ["1", "2"], ["1,2"]],
  ["different ports are different subsets", ["1:80", "2:81"], ["1:80", "2:81"]],
  ["several ports at once", ["1,2:80+81", "3:80"], ["1,2,3:80", "1,2:81"]],
])("repackSubsets: %s", (_name, before, after) => {
  const repacked = repackSubsets(before.map(subset));
  expect(repacked.map(textOf).sort()).toEqual(after);
  expect(repackSubsets(before.toReversed().map(subset))).toEqual(repacked);
  expect(repackSubsets(repacked)).toEqual(repacked);
});

test("repackSubsets: pods with the same address are distinguished by uid", () => {
  const one = (uid: string): EndpointSubset => ({
    addresses: [{ ip: "10.0.0.1", targetRef: { kind: "Pod", uid } }],
    ports: [{ port: 80, protocol: "TCP" }],
  });
  expect(repackSubsets([one("b"), one("a")])).toEqual([
    {
      addresses: [one("a").addresses?.[0], one("b").addresses?.[0]],
      ports: [{ port: 80, protocol: "TCP" }],
    },
  ]);
});
