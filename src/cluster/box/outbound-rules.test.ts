import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { firewallWarnings, othersForward } from "./outbound-rules.ts";

const chain = (table: string, hook: string, more: object = {}): object => ({
  chain: { ...{ family: "ip", table, name: hook.toUpperCase(), hook, type: "filter" }, ...more },
});
const listed = (...chains: readonly object[]): string =>
  JSON.stringify({ nftables: [{ metainfo: { json_schema_version: 1 } }, ...chains] });
const nat = { type: "nat", policy: "accept" };

each<[name: string, chains: string, expected: boolean]>([
  ["without nft", "", false],
  ["our own tables only", listed(chain("wherry-nodes-1", "postrouting", nat)), false],
  ["a firewall of this machine's own packets", listed(chain("filter", "input")), false],
  ["chains that see no packets", listed({ chain: { table: "nat", name: "DOCKER" } }), false],
  ["a filter of forwarded packets", listed(chain("filter", "forward")), true],
  ["masquerading by others", listed(chain("wherry_docker", "postrouting", nat)), true],
])("othersForward: %s", (_, chains, expected) => {
  expect(othersForward(chains)).toBe(expected);
});

test("firewallWarnings: chains of others that drop by default", () => {
  const drops = { policy: "drop" };
  const accepts = { policy: "accept" };
  const found = (...chains: readonly object[]) =>
    firewallWarnings(listed(...chains)).map((text) => text.split(":")[0]);
  expect(found(chain("filter", "forward", accepts), chain("filter", "output", drops))).toEqual([]);
  expect(found(chain("filter", "forward", drops), chain("filter", "input", drops))).toEqual([
    "the firewall of this machine drops forwarded packets",
    "the firewall of this machine drops packets to it",
  ]);
});
