/** A device that a driver has prepared for a claim. */
export interface PreparedDevice {
  readonly pool: string;
  readonly device: string;
  /** Which share of a device that several claims use. */
  readonly shareId?: string | undefined;
  /** The requests of the claim that it is for; none for all. */
  readonly requests: readonly string[];
  /** The names of what it adds to containers, by the Container Device Interface. */
  readonly cdiDevices: readonly string[];
}

/** What drivers need to know of a claim. */
export interface ClaimIdentity {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
}

/** A claim that pods of this node use, or are about to. Its drivers may have to unprepare it. */
export interface NodeClaim extends ClaimIdentity {
  /** The pods that use it. */
  readonly podUids: ReadonlySet<string>;
  /** What each driver of the allocation has prepared. */
  readonly drivers: ReadonlyMap<string, readonly PreparedDevice[]>;
  /** Whether all drivers have prepared it since the kubelet started. */
  readonly isPrepared: boolean;
}

/** The claims of a node by namespace and name. */
export class NodeClaims {
  readonly #claims = new Map<string, NodeClaim>();

  get(namespace: string, name: string): NodeClaim | undefined {
    return this.#claims.get(claimKey(namespace, name));
  }

  set(claim: NodeClaim): void {
    this.#claims.set(claimKey(claim.namespace, claim.name), claim);
  }

  delete({ namespace, name }: ClaimIdentity): void {
    this.#claims.delete(claimKey(namespace, name));
  }

  all(): readonly NodeClaim[] {
    return [...this.#claims.values()];
  }

  /** The claims that a pod uses. */
  ofPod(podUid: string): readonly NodeClaim[] {
    return this.all().filter(({ podUids }) => podUids.has(podUid));
  }

  /** The pods that use claims. */
  podUids(): ReadonlySet<string> {
    return new Set(this.all().flatMap(({ podUids }) => [...podUids]));
  }
}

export const claimKey = (namespace: string, name: string): string => `${namespace}/${name}`;
