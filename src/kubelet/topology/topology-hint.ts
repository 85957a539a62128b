import type { NumaMask } from "./numa-mask.ts";

/** NUMA nodes from which a resource can be provided. */
export interface TopologyHint {
  /** Undefined for any nodes. */
  readonly affinity: NumaMask | undefined;
  /** Whether no fewer nodes would do. */
  readonly isPreferred: boolean;
}

/** The hints for each resource of a request: undefined where nodes do not matter, empty where none will do. */
export type ResourceHints = ReadonlyMap<string, readonly TopologyHint[] | undefined>;

/** The hint of a resource for which nodes do not matter. */
export const anyNode: TopologyHint = { affinity: undefined, isPreferred: true };

/** Hints for these masks, of which the ones of the given size are preferred. */
export const hintsOf = (
  masks: readonly { readonly mask: NumaMask; readonly size: number }[],
  preferredSize: number,
): readonly TopologyHint[] =>
  masks.map(({ mask, size }) => ({ affinity: mask, isPreferred: size === preferredSize }));
