import type { ImageState, NodeInfo } from "../framework/node-info.ts";
import type { Snapshot } from "../framework/snapshot.ts";

/** The nodes as a cycle sees them. The cache updates it between two cycles. */
export class NodeSnapshot implements Snapshot {
  readonly byName = new Map<string, NodeInfo>();
  nodes: readonly NodeInfo[] = [];
  nodesWithAffinity: readonly NodeInfo[] = [];
  nodesWithRequiredAntiAffinity: readonly NodeInfo[] = [];
  readonly #image: (name: string) => ImageState | undefined;

  constructor(image: (name: string) => ImageState | undefined) {
    this.#image = image;
  }

  get(name: string): NodeInfo | undefined {
    return this.byName.get(name);
  }

  isClaimUsed(claim: string): boolean {
    return this.nodes.some(({ claims }) => claims.has(claim));
  }

  image(name: string): ImageState | undefined {
    return this.#image(name);
  }
}
