import type { Node } from "../../api/core/v1/node/node.ts";
import { formatCidr, parseCidrSloppy } from "../../schema/values/ip.ts";
import { CidrSet, type CidrSetMetrics } from "./cidr-set.ts";
import type { IpamRanges } from "./ipam-ranges.ts";

/** Knows which ranges nodes have, and chooses those of new nodes: one of each network. */
export class RangeAllocator {
  readonly #sets: readonly CidrSet[];
  /** The ranges that were chosen for nodes whose objects do not show them yet, by uid. */
  readonly #chosen = new Map<string, readonly string[]>();

  constructor(
    { networks, services }: IpamRanges,
    metricsOf?: (network: string, size: number) => CidrSetMetrics,
  ) {
    this.#sets = networks.map(({ cidr, prefix }) => {
      const size = 2 ** (prefix - cidr.prefix);
      return new CidrSet(cidr, prefix, metricsOf?.(formatCidr(cidr), size));
    });
    for (const set of this.#sets) for (const service of services) set.occupy(service);
  }

  /** Marks the ranges of a node as used. Returns why they are not: no other node gets such a range anyway. */
  occupy({ metadata, spec }: Node): string | undefined {
    const ranges = spec.podCIDRs ?? [];
    // It may have others than those that were chosen for it.
    this.#release(this.#chosen.get(metadata.uid ?? "") ?? []);
    this.#chosen.delete(metadata.uid ?? "");
    for (const [i, range] of ranges.entries()) {
      const cidr = parseCidrSloppy(range);
      if (!cidr) return `failed to parse node ${metadata.name}, CIDR ${spec.podCIDR}`;
      const set = this.#sets[i];
      if (!set)
        return `node:${metadata.name} has an allocated cidr: ${range} at index:${i} that does not exist in cluster cidrs configuration`;
      if (!set.occupy(cidr))
        return `failed to mark cidr[${range}] at idx [${i}] as occupied for node: ${metadata.name}: cidr ${range} is out the range of cluster cidr ${formatCidr(set.network)}`;
    }
    return undefined;
  }

  /** The ranges for a node that has none, the same ones until `occupy`; throws if a network has none left. */
  choose({ metadata: { uid = "" } }: Node): readonly string[] {
    const before = this.#chosen.get(uid);
    if (before) return before;
    const chosen: string[] = [];
    for (const [i, set] of this.#sets.entries()) {
      const range = set.allocateNext();
      if (!range) {
        this.#release(chosen);
        throw new NoRangeLeftError(
          `failed to allocate cidr from cluster cidr at idx:${i}: CIDR allocation failed; there are no remaining CIDRs left to allocate in the accepted range`,
        );
      }
      chosen.push(formatCidr(range));
    }
    this.#chosen.set(uid, chosen);
    return chosen;
  }

  /** Frees the ranges of a node that is gone. */
  release({ metadata: { uid = "" }, spec }: Node): void {
    this.#release(spec.podCIDRs?.length ? spec.podCIDRs : (this.#chosen.get(uid) ?? []));
    this.#chosen.delete(uid);
  }

  #release(ranges: readonly string[]): void {
    for (const [i, range] of ranges.entries()) {
      const cidr = parseCidrSloppy(range);
      if (cidr) this.#sets[i]?.release(cidr);
    }
  }
}

/** Thrown when all ranges of a network are in use. */
export class NoRangeLeftError extends Error {
  override readonly name = "NoRangeLeftError";
}
