import { type Cidr, formatCidr } from "../../schema/values/ip.ts";
import type { RoutePlan } from "./plan-routes.ts";

const table = "wherry-routes";

/**
 * The rules by which pods leave the cluster with the address of their node, as input of `nft -f`. Nodes behind routers
 * are outside: a router does not know the addresses of pods, and may drop them.
 */
export function masqueradeRules({ own, inside }: Pick<RoutePlan, "own" | "inside">): string {
  const remove = [`table inet ${table}`, `delete table inet ${table}`];
  if (own.length === 0) return `${remove.join("\n")}\n`;
  const list = (ranges: readonly Cidr[], version: 4 | 6): string =>
    [...new Set(ranges.filter(({ ip }) => ip.version === version).map(formatCidr))].join(", ");
  const set = (name: string, version: 4 | 6, elements: string): string =>
    `  set ${name} { type ipv${version}_addr; flags interval; auto-merge; elements = { ${elements} }; }`;
  const rules = ([4, 6] as const).flatMap((version) => {
    const pods = list(own, version);
    const ip = version === 4 ? "ip" : "ip6";
    if (pods === "") return [];
    return {
      sets: [
        set(`own${version}`, version, pods),
        set(`inside${version}`, version, list(inside, version)),
      ],
      rule: `    ${ip} saddr @own${version} ${ip} daddr != @inside${version} ${ip} daddr != ${multicast[version]} masquerade fully-random`,
    };
  });
  return [
    ...remove,
    `table inet ${table} {`,
    ...rules.flatMap(({ sets }) => sets),
    "  chain leaving {",
    "    type nat hook postrouting priority srcnat; policy accept;",
    ...rules.map(({ rule }) => rule),
    "  }",
    "}",
    "",
  ].join("\n");
}

const multicast = { 4: "224.0.0.0/4", 6: "ff00::/8" } as const;
