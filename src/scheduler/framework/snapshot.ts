import type { ImageState, NodeInfo } from "./node-info.ts";

/** The nodes at a point in time, which do not change while a pod is scheduled. */
export interface Snapshot {
  /** All of them: one of each zone after the other, so that no zone comes first as a whole. */
  readonly nodes: readonly NodeInfo[];
  get(name: string): NodeInfo | undefined;
  /** Those with pods that say something of other pods, and that refuse to be near to some. */
  readonly nodesWithAffinity: readonly NodeInfo[];
  readonly nodesWithRequiredAntiAffinity: readonly NodeInfo[];
  /** Whether a pod uses a claim of a volume, by `NAMESPACE/NAME`. */
  isClaimUsed(claim: string): boolean;
  /** An image that some node has. */
  image(name: string): ImageState | undefined;
}
