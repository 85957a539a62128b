import { expect, test } from "vitest";
import { type Cidr, parseCidr } from "../../schema/values/ip.ts";
import { masqueradeRules, tunnelRules } from "./masquerade-rules.ts";

const cidrs = (...texts: readonly string[]): readonly Cidr[] =>
  texts.flatMap((one) => parseCidr(one) ?? []);

test("masqueradeRules: packets of pods that leave the cluster, by family", () => {
  const rules = masqueradeRules({
    own: cidrs("10.244.1.0/24"),
    inside: cidrs("10.244.1.0/24", "fd00::/64", "10.244.1.0/24", "192.0.2.1/32"),
  });
  expect(rules).toContain(
    "set own4 { type ipv4_addr; flags interval; auto-merge; elements = { 10.244.1.0/24 }; }",
  );
  expect(rules).toContain("elements = { 10.244.1.0/24, 192.0.2.1/32 }");
  expect(rules).toContain(
    "ip saddr @own4 ip daddr != @inside4 ip daddr != 224.0.0.0/4 masquerade fully-random",
  );
  expect(rules).not.toContain("ip6");
});

test("masqueradeRules: without a range only the table before is removed", () => {
  expect(masqueradeRules({ own: [], inside: cidrs("192.0.2.1/32") })).toBe(
    "table inet wherry-routes\ndelete table inet wherry-routes\n",
  );
});

test("tunnelRules: what comes from outside and goes through a tunnel, by family", () => {
  const [own, far] = [cidrs("10.200.0.0/24", "fd00:1::/64"), cidrs("10.200.128.0/24")];
  const tunnel = { mac: "02:00:00:00:00:07", to: "192.0.2.7" };
  const routes = far.map((range) => ({ node: "far", range, tunnel }));
  const rules = tunnelRules({ own, routes });
  expect(rules).toContain("oifname flannel.1 ip saddr != @own4 masquerade fully-random");
  expect(rules).not.toContain("ip6");
  expect(tunnelRules({ own, routes: [] })).toBe(
    "table inet wherry-routes\ndelete table inet wherry-routes\n",
  );
});
