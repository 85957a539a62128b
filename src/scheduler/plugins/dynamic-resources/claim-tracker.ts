import { ResourceClaim } from "../../../api/resource/v1/resource-claim.ts";
import type { AllocationResult } from "../../../api/resource/v1/resource-claim-status.ts";
import type { Informer } from "../../../client/informer/informer-options.ts";
import { isAtLeast } from "../../../client/resource-version.ts";
import type { Handle } from "../../framework/handle.ts";
import type { Snapshot } from "../../framework/snapshot.ts";
import { AllocatedDevices } from "./allocated-devices.ts";

/** An allocation that the cache does not show yet. */
interface Pending {
  /** The version of the claim in which it was written; undefined before that. */
  version?: string;
}

/** The devices of all claims as they will be once the allocations of scheduled pods are in the cache. */
class ClaimTracker {
  readonly allocated = new AllocatedDevices();
  readonly #claims: Informer<ResourceClaim>;
  readonly #pending = new Map<string, Pending>();
  /** The claims that are counted. */
  #counted: ReadonlySet<string> = new Set();
  #version: string | undefined;

  constructor(claims: Informer<ResourceClaim>) {
    this.#claims = claims;
  }

  /** Whether a claim is being allocated for a pod. */
  isPending(uid: string): boolean {
    return this.#pending.has(uid);
  }

  /** Counts what the cache shows. */
  refresh(): void {
    const { resourceVersion } = this.#claims;
    if (this.#version === resourceVersion && resourceVersion !== "") return;
    this.#version = resourceVersion;
    const counted = new Set<string>();
    const settled = [...this.#pending].flatMap(([uid, { version }]) =>
      version !== undefined && isAtLeast(resourceVersion, version) ? uid : [],
    );
    for (const uid of settled) this.#pending.delete(uid);
    for (const { metadata, status } of this.#claims.list()) {
      const { uid = "" } = metadata;
      counted.add(uid);
      if (status?.allocation) this.#pending.delete(uid);
      if (!this.#pending.has(uid)) this.allocated.set(uid, status?.allocation);
    }
    for (const uid of [...this.#counted, ...settled])
      if (!counted.has(uid) && !this.#pending.has(uid)) this.allocated.set(uid, undefined);
    this.#counted = counted;
  }

  /** A claim will have devices. */
  begin(uid: string, allocation: AllocationResult): void {
    this.#pending.set(uid, {});
    this.allocated.set(uid, allocation);
  }

  /** An allocation was written. */
  written(uid: string, version: string): void {
    const pending = this.#pending.get(uid);
    if (pending) pending.version = version;
  }

  /** Gives devices back, unless their allocation was written: then the claim has them. */
  cancel(uid: string): void {
    const pending = this.#pending.get(uid);
    if (!pending || pending.version !== undefined) return;
    this.#pending.delete(uid);
    this.allocated.set(uid, undefined);
    this.#version = undefined;
  }
}

/** Profiles allocate the same devices, and share what is in flight; their snapshot tells who belongs together. */
const trackers = new WeakMap<Snapshot, ClaimTracker>();

export function claimTrackerOf({ snapshot, informer }: Handle): ClaimTracker {
  const known = trackers.get(snapshot);
  if (known) return known;
  const made = new ClaimTracker(informer(ResourceClaim));
  trackers.set(snapshot, made);
  return made;
}
