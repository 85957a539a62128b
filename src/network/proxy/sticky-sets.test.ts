import { expect, test } from "vitest";
import type { Frontend } from "../services/frontends.ts";
import { ElementStore } from "./element-store.ts";
import { frontendElements } from "./frontend-elements.ts";
import { changeTransaction } from "./proxy-transaction.ts";
import { keepMembers, parseStickySets } from "./sticky-sets.ts";

const frontend = (...addresses: readonly string[]): Frontend => ({
  ...{ name: "default/web:http", family: "IPv6", kind: "cluster-ip", address: "fd00::9" },
  ...{ protocol: "TCP", port: 80, isMasqueraded: false, affinitySeconds: 60, sourceRanges: [] },
  endpoints: addresses.map((address) => ({
    ...{ address, port: 8080, isLocal: false, isReady: true, isServing: true },
    ...{ isTerminating: false, forZones: [], forNodes: [] },
  })),
});

/** The lines of transactions, each from one state of a service to the next; names are numbered as they appear. */
function transactions(...states: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const names = new Map<string, string>();
  const short = (name: string): string => {
    const known = names.get(name) ?? `${name.replace(/-.*/, "")}-${names.size + 1}`;
    names.set(name, known);
    return known;
  };
  const store = new ElementStore();
  store.programmed();
  return states.map((addresses) => {
    store.set("web", frontendElements([frontend(...addresses)], []));
    const { input } = changeTransaction(store.changes(), new Set());
    store.programmed();
    return input
      .replaceAll(/\b(?:clients|sticky)-[0-9a-f]{20}\b/g, short)
      .replaceAll(" ip6 wherry-proxy", "")
      .split("\n")
      .filter((line) => /clients-|sticky-\d/.test(line));
  });
}

const set = (name: string): string =>
  `add set ${name} { type ipv6_addr; flags dynamic, timeout; size 65536; timeout 3h; }`;
const stay = (of: string, to: string): string =>
  `meta l4proto tcp ip6 saddr @${of} dnat ip6 to [${to}]:8080`;
const note = (of: string, to: string): string =>
  `meta l4proto tcp ip6 daddr ${to} tcp dport 8080 update @${of} { ct original ip6 saddr timeout 60s }`;

test("sticky sets: made before what leads there, kept while other endpoints come, removed at last", () => {
  const [first, second] = transactions(["fd00:1::1"], ["fd00:1::2"]);
  expect(first).toEqual([
    set("clients-1"),
    "add chain sticky-2",
    `add rule sticky-2 ${stay("clients-1", "fd00:1::1")}`,
    expect.stringMatching(/^add rule sticky-2 dnat ip6 addr \. port to numgen random mod 1 /),
    "add chain sticky-3",
    `add rule sticky-3 ${note("clients-1", "fd00:1::1")}`,
    "add element service-ips { fd00::9 . tcp . 80 : goto sticky-2 }",
    "add element sticky-services { fd00::9 . tcp . 80 : goto sticky-3 }",
  ]);
  expect(second?.slice(0, 1)).toEqual([set("clients-4")]);
  expect(second?.slice(-3).sort()).toEqual([
    ...["delete chain sticky-2", "delete chain sticky-3", "delete set clients-1"],
  ]);
  expect(second?.at(-1)).toBe("delete set clients-1");
});

test("sticky sets: an endpoint keeps its set, and with it its clients, when another one comes", () => {
  const [, second = []] = transactions(["fd00:1::1"], ["fd00:1::1", "fd00:1::2"]);
  expect(second.filter((line) => line.includes(" set "))).toEqual([set("clients-4")]);
  expect(second).toContain(`add rule sticky-5 ${stay("clients-1", "fd00:1::1")}`);
});

test("parseStickySets: clients of sets that are still there are kept for the rest of their time", () => {
  const elem = (val: string, expires: number) => ({ elem: { val, timeout: 60, expires } });
  const members = parseStickySets(
    JSON.stringify({
      nftables: [
        { metainfo: {} },
        { set: { name: "clients-a", table: "wherry-proxy", elem: [elem("fd00::1", 0)] } },
        { set: { name: "clients-b", table: "wherry-proxy", elem: [elem("fd00::2", 9)] } },
        { set: { name: "clients-a", table: "other", elem: [elem("fd00::3", 9)] } },
        { set: { name: "clients-c", table: "wherry-proxy" } },
      ],
    }),
  );
  expect(members.map(({ client }) => client)).toEqual(["fd00::1", "fd00::2"]);
  expect(keepMembers(members, (name) => name === "clients-a")).toEqual([
    "add element ip6 wherry-proxy clients-a { fd00::1 timeout 60s expires 1s }",
  ]);
});
