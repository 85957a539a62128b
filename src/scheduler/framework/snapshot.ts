import type { ImageState, NodeInfo } from "./node-info.ts";

/** The nodes at the start of a scheduling cycle; they do not change during the cycle. */
export interface Snapshot {
  /** All nodes, alternating between zones, so that filtering does not start with one whole zone. */
  readonly nodes: readonly NodeInfo[];
  get(name: string): NodeInfo | undefined;
  /**
   * Nodes with pods that have affinity or anti-affinity terms, and those with required anti-affinity.
   */
  readonly nodesWithAffinity: readonly NodeInfo[];
  readonly nodesWithRequiredAntiAffinity: readonly NodeInfo[];
  /** Whether a pod uses a volume claim, given as `NAMESPACE/NAME`. */
  isClaimUsed(claim: string): boolean;
  /** Returns an image that some node has. */
  image(name: string): ImageState | undefined;
}
