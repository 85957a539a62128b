import { parseQuantity, quantityAsNumber } from "../../schema/values/quantity.ts";
import { limiterName, linkName, type PodLink, podLinkGroup } from "./pod-link.ts";

/** The limits of a pod, in bits per second. */
export interface Bandwidth {
  /** To the pod. */
  readonly ingress?: number | undefined;
  /** From the pod. */
  readonly egress?: number | undefined;
}

/** Reads the limits of a pod's annotations; throws if they are invalid. */
export const readBandwidth = (annotations: Readonly<Record<string, string>>): Bandwidth => ({
  ingress: readLimit(annotations["kubernetes.io/ingress-bandwidth"]),
  egress: readLimit(annotations["kubernetes.io/egress-bandwidth"]),
});

function readLimit(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const bits = Math.floor(quantityAsNumber(parseQuantity(text)));
  if (bits < 1e3) throw new Error("resource is unreasonably small (< 1kbit)");
  if (bits > 1e15) throw new Error("resource is unreasonably large (> 1Pbit)");
  return bits;
}

/** The commands of `ip` and then of `tc` that limit a pod. What leaves it is limited on an interface of its own. */
export function limitCommands(
  { sandboxId, owner }: Pick<PodLink, "sandboxId" | "owner">,
  { ingress, egress }: Bandwidth,
): { readonly links: readonly string[]; readonly traffic: readonly string[] } {
  const [link, limiter] = [linkName(sandboxId), limiterName(sandboxId)];
  const toPod = ingress === undefined ? [] : [limit(link, ingress)];
  if (egress === undefined) return { links: [], traffic: toPod };
  return {
    links: [
      `link add name ${limiter} group ${podLinkGroup} type ifb`,
      `link set ${limiter} alias ${owner} up`,
    ],
    traffic: [
      ...toPod,
      limit(limiter, egress),
      `qdisc add dev ${link} ingress`,
      `filter add dev ${link} parent ffff: protocol all u32 match u32 0 0 action mirred egress redirect dev ${limiter}`,
    ],
  };
}

const limit = (link: string, bits: number): string =>
  `qdisc add dev ${link} root tbf rate ${bits}bit burst ${burstOf(bits)} latency 25ms`;

/** In bytes: what passes in 10 ms, as the kernel's timer may be that coarse, and a few packets at least. */
const burstOf = (bits: number): number =>
  Math.min(Math.max(Math.ceil(bits / 800), 32_768), 2 ** 30);
