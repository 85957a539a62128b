import { runChild } from "../../platform/run-child.ts";
import { hostPortTable } from "./host-port-rules.ts";
import { podLinkGroup } from "./pod-link.ts";

/** The name of the table that bounds what pods can send. */
const podTable = "wherry-pods";

/**
 * The rules that keep pods from sending what is not theirs, as input of `nft -f`: packets from addresses of others,
 * and messages by which routers change the routes of the node.
 */
export const podRules = `table inet ${podTable}
delete table inet ${podTable}
table inet ${podTable} {
  chain sent {
    type filter hook prerouting priority raw; policy accept;
    iifgroup ${podLinkGroup} jump checked
  }
  chain checked {
    ip6 saddr { ::/128, fe80::/10 } icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert, nd-router-solicit, mld-listener-report, mld2-listener-report } accept
    icmpv6 type { nd-router-advert, nd-redirect } drop
    fib saddr . iif oif missing drop
  }
}
`;

/** Removes the rules of pods, for a machine that is a node no longer. */
export async function removePodRules(): Promise<void> {
  for (const table of [podTable, hostPortTable])
    await runChild("nft", ["delete", "table", "inet", table]);
}
