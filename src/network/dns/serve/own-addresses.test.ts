import { expect, test } from "vitest";
import { requires, testWith } from "../../../../test/requires.ts";
import { mustRun } from "../../../platform/run-child.ts";
import { addressChanges } from "./own-addresses.ts";
import { untrackedRules } from "./untracked-rules.ts";

test("addressChanges: only what differs is changed", () => {
  expect(addressChanges(["10.0.0.10", "10.0.0.9"], ["10.0.0.10", "fd00::a"])).toEqual([
    "addr del 10.0.0.9/32 dev wherry-dns",
    "addr replace fd00::a/128 dev wherry-dns nodad",
  ]);
  expect(addressChanges(["10.0.0.10"], ["10.0.0.10"])).toEqual([]);
});

testWith(requires("nft", "boxes"))("untrackedRules: the kernel takes them, and again", async () => {
  const rules = untrackedRules(["10.0.0.10", "fd00::a"], 53);
  const take = 'printf %s "$1" | nft -f -';
  const script = `${take} && ${take} && nft list table inet wherry-dns`;
  const listed = await mustRun("unshare", ["-n", "sh", "-c", script, "sh", rules]);
  expect(listed.match(/notrack/g)).toHaveLength(12);
  expect(listed).toContain("ip daddr 10.0.0.10 udp dport 53 socket wildcard 0 notrack");
  expect(listed).toContain("ip daddr 10.0.0.10 tcp dport 53 notrack");
  expect(listed).toContain("ip6 saddr fd00::a tcp sport 53 notrack");
});
