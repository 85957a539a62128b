import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import { KeyedLock } from "../../base/queue/keyed-lock.ts";
import { claimProblem, driversOf } from "./check-claim.ts";
import { type ClaimDriver, responseProblem } from "./claim-driver.ts";
import type { ClaimMetrics } from "./claim-metrics.ts";
import { claimKey, type NodeClaim, type NodeClaims } from "./node-claim.ts";
import { claimsOfPod } from "./pod-claims.ts";

export interface ClaimManagerOptions {
  /** The claims of the node, as an earlier kubelet has left them. */
  readonly claims: NodeClaims;
  /** Reads a claim from the API. */
  readonly read: (namespace: string, name: string) => Promise<ResourceClaim>;
  /** Finds a driver; throws if it is not registered. */
  readonly driver: (name: string) => ClaimDriver;
  /** Stores the claims, so that a later kubelet continues with them. */
  readonly save: (claims: readonly NodeClaim[]) => Promise<void>;
  readonly metrics: ClaimMetrics;
}

/**
 * Has drivers prepare the claims of pods before their containers start, and unprepare them when the last pod that
 * uses them has ended. A claim is stored before a driver is called for it, and until all drivers have unprepared it.
 */
export class ClaimManager {
  readonly #options: ClaimManagerOptions;
  /** Work on one claim at a time. */
  readonly #inTurn = new KeyedLock();
  /** Pods whose claims could not be prepared or unprepared. */
  readonly #failing = new Set<string>();

  constructor(options: ClaimManagerOptions) {
    this.#options = options;
  }

  /** Takes the pods whose latest attempt has failed: they are to be synced again. */
  takeFailing(): readonly string[] {
    const all = [...this.#failing];
    this.#failing.clear();
    return all;
  }

  /** Prepares the claims of a pod. Rejects if its containers cannot start. */
  async prepare(pod: Pod): Promise<void> {
    const { uid = "" } = pod.metadata;
    const prepare = () => this.#prepare(pod);
    await this.#attempt(uid, "prepare dynamic resources", () =>
      this.#options.metrics.measured("PrepareResources", prepare),
    );
  }

  /** Unprepares the claims that only this pod uses, whose containers have ended. Rejects until that is done. */
  async unprepare(podUid: string): Promise<void> {
    const unprepare = () => this.#unprepare(podUid);
    await this.#attempt(podUid, "unprepare dynamic resources", () =>
      this.#options.metrics.measured("UnprepareResources", unprepare),
    );
  }

  async #attempt(podUid: string, what: string, work: () => Promise<void>): Promise<void> {
    try {
      await named(what, work);
      this.#failing.delete(podUid);
    } catch (error) {
      this.#failing.add(podUid);
      throw error;
    }
  }

  async #prepare(pod: Pod): Promise<void> {
    const { namespace = "" } = pod.metadata;
    const keys = claimsOfPod(pod).map(({ name }) => claimKey(namespace, name));
    if (keys.length > 0) await this.#exclusively(keys, () => this.#prepareExclusively(pod));
  }

  async #prepareExclusively(pod: Pod): Promise<void> {
    // A pod whose claims cannot be used at all leaves no trace: drivers need not unprepare anything then.
    const wanted = await this.#wantedBy(pod);
    const { claims } = this.#options;
    for (const claim of wanted) claims.set(claim);
    await this.#save("checkpoint ResourceClaim cache");
    const unprepared = wanted.filter(({ isPrepared }) => !isPrepared);
    for (const [name, batch] of batchesOf(unprepared)) await this.#prepareBatch(name, batch);
    if (unprepared.length === 0) return;
    for (const { namespace, name } of unprepared) {
      const claim = claims.get(namespace, name);
      if (claim) claims.set({ ...claim, isPrepared: true });
    }
    await this.#save("checkpoint ResourceClaim state");
  }

  /** The claims of a pod, which it uses from now on. Rejects if it cannot use one of them. */
  async #wantedBy(pod: Pod): Promise<readonly NodeClaim[]> {
    const { namespace = "", uid = "" } = pod.metadata;
    const { claims, driver, read } = this.#options;
    const wanted: NodeClaim[] = [];
    for (const podClaim of claimsOfPod(pod)) {
      const claim = await named(`fetch ResourceClaim ${podClaim.name}`, () =>
        read(namespace, podClaim.name),
      );
      const problem = claimProblem(pod, claim, podClaim);
      if (problem !== undefined) throw new Error(problem);
      const found = nodeClaim(claim);
      const known = claims.get(namespace, podClaim.name) ?? found;
      // Without its driver a claim is of no use, even if it was prepared before.
      for (const name of found.drivers.keys()) driver(name);
      if (known.uid !== found.uid)
        throw new Error(
          `old ResourceClaim with same name ${podClaim.name} and different UID ${known.uid} still exists (previous pod force-deleted?!)`,
        );
      wanted.push({ ...known, podUids: new Set([...known.podUids, uid]) });
    }
    return wanted;
  }

  async #prepareBatch(name: string, batch: readonly NodeClaim[]): Promise<void> {
    const driver = this.#options.driver(name);
    const results = await named("NodePrepareResources", () => driver.prepare(batch));
    const { claims } = this.#options;
    for (const { uid, namespace, name: claimName } of batch) {
      const result = results.get(uid);
      const claim = claims.get(namespace, claimName);
      if (!claim || !result || result.error !== "") continue;
      claims.set({ ...claim, drivers: new Map([...claim.drivers, [name, result.devices]]) });
    }
    const problem = responseProblem("NodePrepareResources", batch, results);
    if (problem !== undefined) throw new Error(problem);
  }

  async #unprepare(podUid: string): Promise<void> {
    const keys = this.#options.claims
      .ofPod(podUid)
      .map(({ namespace, name }) => claimKey(namespace, name));
    if (keys.length > 0) await this.#exclusively(keys, () => this.#unprepareExclusively(podUid));
  }

  async #unprepareExclusively(podUid: string): Promise<void> {
    const { claims, driver } = this.#options;
    const used = claims.ofPod(podUid);
    const shared = used.filter(({ podUids }) => podUids.size > 1);
    const last = used.filter(({ podUids }) => podUids.size === 1);
    for (const claim of shared) {
      const podUids = new Set([...claim.podUids].filter((uid) => uid !== podUid));
      claims.set({ ...claim, podUids });
    }
    // A driver that has begun to unprepare may have to prepare again.
    for (const claim of last) claims.set({ ...claim, isPrepared: false });
    for (const [name, batch] of batchesOf(last)) {
      const found = driver(name);
      const results = await named("NodeUnprepareResources", () => found.unprepare(batch));
      const problem = responseProblem("NodeUnprepareResources", batch, results);
      if (problem !== undefined) throw new Error(problem);
    }
    for (const claim of last) claims.delete(claim);
    try {
      await this.#save("checkpoint ResourceClaim state");
    } catch (error) {
      for (const claim of last) claims.set({ ...claim, isPrepared: false });
      throw error;
    }
  }

  async #save(what: string): Promise<void> {
    await named(what, () => this.#options.save(this.#options.claims.all()));
  }

  /** Works on claims that nobody else works on meanwhile. All take them in the same order. */
  #exclusively(keys: readonly string[], work: () => Promise<void>): Promise<void> {
    const ordered = [...new Set(keys)].sort();
    return ordered.reduceRight((next, key) => () => this.#inTurn.run(key, next), work)();
  }
}

/** A claim that no pod of the node uses yet. */
const nodeClaim = (claim: ResourceClaim): NodeClaim => ({
  uid: claim.metadata.uid ?? "",
  name: claim.metadata.name ?? "",
  namespace: claim.metadata.namespace ?? "",
  podUids: new Set(),
  drivers: new Map(driversOf(claim).map((driver) => [driver, []])),
  isPrepared: false,
});

/** The claims that each driver is called for. */
function batchesOf(claims: readonly NodeClaim[]): ReadonlyMap<string, readonly NodeClaim[]> {
  const batches = new Map<string, NodeClaim[]>();
  for (const claim of claims)
    for (const driver of claim.drivers.keys())
      batches.set(driver, [...(batches.get(driver) ?? []), claim]);
  return batches;
}

/** Says what failed; the cause says why. */
async function named<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new Error(what, { cause });
  }
}
