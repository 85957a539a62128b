import { type Cidr, formatCidr } from "../../schema/values/ip.ts";
import { families } from "./flannel-annotations.ts";
import type { RoutePlan } from "./plan-routes.ts";
import { tunnelDevices } from "./route-commands.ts";

const table = "wherry-routes";

/** The sets of one family of addresses, and the rule that uses them. */
interface FamilyRule {
  readonly sets: readonly string[];
  readonly rule: string;
}

/**
 * The rules by which pods leave the cluster with the address of their node, as input of `nft -f`. Nodes behind routers
 * are outside: a router does not know the addresses of pods, and may drop them.
 */
export const masqueradeRules = ({ own, inside }: Pick<RoutePlan, "own" | "inside">): string =>
  tableOf(own, (version, pods) => ({
    sets: [
      setOf(`own${version}`, version, pods),
      setOf(`inside${version}`, version, listOf(inside, version)),
    ],
    rule: `${ip[version]} saddr @own${version} ${ip[version]} daddr != @inside${version} ${ip[version]} daddr != ${multicast[version]} masquerade fully-random`,
  }));

/**
 * The rules of a node to whose pods others route, and which have them leave the cluster: what comes from outside and
 * goes on through its tunnels has the address of its end, so that the replies come back the same way.
 */
export const tunnelRules = ({ own, routes }: Pick<RoutePlan, "own" | "routes">): string =>
  tableOf(
    own.filter(({ ip: { version } }) =>
      routes.some((route) => "tunnel" in route && route.range.ip.version === version),
    ),
    (version, pods) => ({
      sets: [setOf(`own${version}`, version, pods)],
      rule: `oifname ${tunnelDevices[version]} ${ip[version]} saddr != @own${version} masquerade fully-random`,
    }),
  );

function tableOf(
  own: readonly Cidr[],
  ruleOf: (version: 4 | 6, pods: string) => FamilyRule,
): string {
  const remove = [`table inet ${table}`, `delete table inet ${table}`];
  const rules = families.flatMap((version) => {
    const pods = listOf(own, version);
    return pods === "" ? [] : ruleOf(version, pods);
  });
  if (rules.length === 0) return `${remove.join("\n")}\n`;
  return [
    ...remove,
    `table inet ${table} {`,
    ...rules.flatMap(({ sets }) => sets),
    "  chain leaving {",
    "    type nat hook postrouting priority srcnat; policy accept;",
    ...rules.map(({ rule }) => `    ${rule}`),
    "  }",
    "}",
    "",
  ].join("\n");
}

const listOf = (ranges: readonly Cidr[], version: 4 | 6): string =>
  [...new Set(ranges.filter(({ ip }) => ip.version === version).map(formatCidr))].join(", ");

const setOf = (name: string, version: 4 | 6, elements: string): string =>
  `  set ${name} { type ipv${version}_addr; flags interval; auto-merge; elements = { ${elements} }; }`;

const ip = { 4: "ip", 6: "ip6" } as const;
const multicast = { 4: "224.0.0.0/4", 6: "ff00::/8" } as const;
