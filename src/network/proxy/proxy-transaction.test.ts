import { expect, test } from "vitest";
import type { Container, Elements } from "./elements.ts";
import { appliedSettings, defaultProxySettings } from "./proxy-settings.ts";
import { changeTransaction, removalInput, wholeTransaction } from "./proxy-transaction.ts";

const { tables } = appliedSettings(defaultProxySettings, {
  ...{ nodeIPs: [], podCIDRs: ["10.1.0.0/16"], serviceCIDRs: [], machineIPs: [] },
});
const ips: Container = "ip service-ips";
const pick = (count: number): string => `goto pick-tcp-service-cluster-any-${count}`;
const chainLines = (count: number): readonly string[] => [
  `add chain ip wherry-proxy pick-tcp-service-cluster-any-${count}`,
  `add rule ip wherry-proxy pick-tcp-service-cluster-any-${count} dnat ip addr . port to numgen random mod ${count} . ip daddr . tcp dport map @tcp-service-endpoints`,
];
const change = (key: string, before: string | undefined, after: string | undefined) => ({
  ...{ container: ips, key, before, after },
});
const lines = (input: string): readonly string[] => input.split("\n").filter((one) => one !== "");

test("changeTransaction: chains come before the elements that lead to them, and deletions before additions", () => {
  const { input, chains } = changeTransaction(
    [
      change("a", pick(1), pick(2)),
      change("b", undefined, pick(2)),
      change("c", pick(1), undefined),
    ],
    new Set([`ip ${pick(1)}`]),
  );
  expect(lines(input)).toEqual([
    ...chainLines(2),
    "delete element ip wherry-proxy service-ips { a, c }",
    `add element ip wherry-proxy service-ips { a : ${pick(2)}, b : ${pick(2)} }`,
  ]);
  expect([...chains]).toEqual([`ip ${pick(1)}`, `ip ${pick(2)}`]);
});

test("changeTransaction: a chain that exists is not added again; without changes there is no input", () => {
  const known = new Set([`ip ${pick(1)}`]);
  expect({
    known: lines(changeTransaction([change("a", undefined, pick(1))], known).input),
    none: changeTransaction([], known).input,
    sticky: lines(changeTransaction([], known, ["delete element x"]).input),
  }).toEqual({
    known: [`add element ip wherry-proxy service-ips { a : ${pick(1)} }`],
    none: "",
    sticky: ["delete element x"],
  });
});

test("wholeTransaction: both tables are replaced, and have a chain for each number of endpoints in use", () => {
  const elements: Elements = new Map([
    [
      ips,
      new Map([
        ["a", pick(1)],
        ["b", pick(3)],
        ["c", pick(3)],
      ]),
    ],
  ]);
  const { input, chains } = wholeTransaction(tables, elements);
  const all = lines(input);
  expect(all.filter((line) => line.includes("table ip"))).toEqual(
    ["ip", "ip6"].flatMap((family) => [
      `add table ${family} wherry-proxy`,
      `delete table ${family} wherry-proxy`,
      `table ${family} wherry-proxy {`,
    ]),
  );
  expect(all.slice(-5)).toEqual([
    ...[...chainLines(1), ...chainLines(3)],
    `add element ip wherry-proxy service-ips { a : ${pick(1)}, b : ${pick(3)}, c : ${pick(3)} }`,
  ]);
  expect(chains.size).toBe(2);
});

test("removalInput: a table that does not exist is no error", () => {
  expect(lines(removalInput())).toEqual([
    ...["add table ip wherry-proxy", "delete table ip wherry-proxy"],
    ...["add table ip6 wherry-proxy", "delete table ip6 wherry-proxy"],
  ]);
});
