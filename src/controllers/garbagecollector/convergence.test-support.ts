import { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import type { OwnerReference } from "../../api/meta/v1/object-meta.ts";
import type { DeleteOptions } from "../../api/meta/v1/options.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { ClusterRole } from "../../api/rbac/v1/cluster-role.ts";
import { type Random, SeededRandom } from "../../base/random.ts";
import { ignoreNotFound } from "../../client/ignore-not-found.ts";
import {
  type DynamicObject,
  dynamicKind,
  formatKey,
  type KubernetesObject,
  keyOf,
  type ResourceKind,
} from "../../client/resource-kind.ts";
import type { Transport, TransportRequest } from "../../client/transport.ts";
import type { Cluster } from "../../testing/cluster.ts";
import type { FaultyCall } from "../../testing/faults/fault.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import {
  below,
  convergeWorld,
  pick,
  type RandomWorld,
  type WorldFigures,
} from "../random-world.test-support.ts";
import {
  type CollectedCluster,
  collectedCluster,
  ownerRef,
} from "./collected-cluster.test-support.ts";

/**
 * Makes a world of objects that own each other at random, has things deleted in it while the collector
 * meets faults and starts anew, and answers what is wrong with what comes of it: nothing, if all is well.
 */
export async function garbageConverges(seed: number): Promise<WorldFigures> {
  const random = new SeededRandom(seed);
  const cluster = await startCluster({ clock: "virtual", seed, namespace: "default" });
  return convergeWorld(cluster, random, new World(cluster, random));
}

const Apple = dynamicKind({
  group: "example.com",
  version: "v1",
  kind: "Apple",
  plural: "apples",
  scope: "Namespaced",
});
type AnyKind = ResourceKind<DynamicObject, object>;
const kinds: readonly AnyKind[] = [...[ConfigMap, Secret, ClusterRole].map(dynamicKind), Apple];
const namespaces = ["default", "other"];
const policies = ["Orphan", "Foreground", "Background"] as const;
const holding = "example.com/hold";

/** What was made, and what was done to it. */
interface Made {
  readonly kind: AnyKind;
  readonly object: KubernetesObject;
  readonly owners: OwnerReference[];
  /** Those that it refers to, as they are there. */
  readonly ownedBy: Made[];
  deletedWith?: (typeof policies)[number];
  /** Whether its owners were changed while the collector was at work. */
  isChanged: boolean;
  /** If it is in no namespace: whom it has referred to in one, undefined for one that never was. */
  readonly unknowable: (Made | undefined)[];
}

class World implements RandomWorld {
  /** A deletion that is late would be checked too early. */
  readonly mayDelay = ({ verb }: FaultyCall): boolean => /^(get|list)$/.test(verb);
  readonly #cluster: Cluster;
  readonly #random: Random;
  readonly #made: Made[] = [];
  readonly #wrong: string[] = [];
  /** The uids of what somebody has asked to be deleted in the foreground. */
  readonly #inForeground = new Set<string>();
  #collector: CollectedCluster | undefined;
  #isRunning = false;
  #earlierWrites = 0;

  constructor(cluster: Cluster, random: Random) {
    this.#cluster = cluster;
    this.#random = random;
  }

  get writes(): number {
    return this.#earlierWrites + (this.#collector?.writes.length ?? 0);
  }

  async populate(): Promise<void> {
    const { client } = this.#cluster;
    await client.create(Namespace, { metadata: { name: "other" } });
    await client.create(CustomResourceDefinition, definition);
    await this.#cluster.settled();
    for (let i = 6 + below(this.#random, 10); i > 0; i--) await this.#create(`o${i}`);
    // Only who refers to what came later makes circles.
    for (let i = below(this.#random, 4); i > 0; i--) await this.#addOwner();
    for (let i = below(this.#random, 4); i > 0; i--) await this.deleteOne();
  }

  async start(): Promise<void> {
    const { faults } = this.#cluster;
    this.#isRunning = true;
    const through = (): Transport => {
      const faulty = faults.transport("garbage-collector");
      return async (request) => {
        if (request.method !== "DELETE") return faulty(request);
        const wrong = await this.#wrongWith(request);
        this.#deleting(request.body as DeleteOptions);
        const response = await faulty(request);
        if (response.status < 300) this.#wrong.push(...wrong);
        return response;
      };
    };
    this.#collector = await collectedCluster({ through }, this.#cluster);
  }

  async stop(): Promise<void> {
    this.#earlierWrites = this.writes;
    await this.#collector?.stop();
    this.#collector = undefined;
  }

  #kill(): void {
    this.#earlierWrites = this.writes;
    this.#collector?.kill();
    this.#collector = undefined;
  }

  async act(): Promise<void> {
    const dice = this.#random.next();
    if (dice < 0.5) await this.deleteOne();
    else if (dice < 0.7) await this.#addOwner();
    else if (dice < 0.85) await this.#release(pick(this.#random, this.#made));
    else {
      if (this.#random.next() < 0.5) await this.stop();
      else this.#kill();
      await this.start();
    }
  }

  async deleteOne(): Promise<void> {
    const one = pick(this.#random, this.#made);
    if (!one) return;
    const { client } = this.#cluster;
    const now = await ignoreNotFound(client.get(one.kind, keyOf(one.object)));
    // Who is about to go already, goes as somebody else has said.
    if (!now || now.metadata.deletionTimestamp) return;
    one.deletedWith = pick(this.#random, policies) ?? "Background";
    const how = { propagationPolicy: one.deletedWith };
    this.#deleting({ ...how, preconditions: { uid: one.object.metadata.uid } });
    await ignoreNotFound(client.delete(one.kind, keyOf(one.object), how));
  }

  #deleting({ propagationPolicy, preconditions }: DeleteOptions): void {
    if (propagationPolicy === "Foreground") this.#inForeground.add(preconditions?.uid ?? "");
  }

  async releaseAll(): Promise<void> {
    for (const one of this.#made) await this.#release(one);
  }

  /** What is not as it should be, now that all is done. */
  async faults(): Promise<string[]> {
    const left = new Map<string, KubernetesObject>();
    for (const kind of kinds)
      for (const object of (await this.#cluster.client.list(kind)).items)
        left.set(object.metadata.uid ?? "", object);
    return [
      ...this.#wrong,
      ...this.#made.flatMap((one) => this.#faultsOf(one, left).map((why) => `${text(one)} ${why}`)),
    ];
  }

  #faultsOf(one: Made, left: ReadonlyMap<string, KubernetesObject>): string[] {
    const now = left.get(one.object.metadata.uid ?? "");
    const isOrphan =
      !one.deletedWith &&
      !one.isChanged &&
      one.owners.length > 0 &&
      one.ownedBy.length === one.owners.length &&
      one.ownedBy.every((owner) =>
        owner.deletedWith ? owner.deletedWith === "Orphan" : isKept(owner),
      );
    if (!now) {
      if (one.deletedWith) return [];
      if (one.owners.length === 0) return ["is gone, although nobody deleted or owned it"];
      if (isKept(one)) return ["is gone, although its owner cannot be known"];
      return isOrphan ? ["is gone, although it was orphaned"] : [];
    }
    if (one.deletedWith || now.metadata.deletionTimestamp)
      return this.#isBlocked(now, left) ? [] : [`is still there, deleted with ${one.deletedWith}`];
    if (mayStay(one)) return [];
    return (now.metadata.ownerReferences ?? [])
      .filter((owner) => !isLiving(now, owner, left))
      .map(({ name }) => `refers to ${name}, which is gone`);
  }

  /** Whether a deletion waits, itself or through others that are deleted, for one that may stay. */
  #isBlocked(
    { metadata: { uid } }: KubernetesObject,
    left: ReadonlyMap<string, KubernetesObject>,
    passed: readonly Made[] = [],
  ): boolean {
    return this.#made.some((one) => {
      const now = left.get(one.object.metadata.uid ?? "");
      const { deletionTimestamp, ownerReferences = [], finalizers = [] } = now?.metadata ?? {};
      const blocks = ownerReferences.some((owner) => owner.uid === uid && owner.blockOwnerDeletion);
      if (!now || !blocks) return false;
      if (!deletionTimestamp) return mayStay(one);
      // A circle waits for nobody but itself, which is no reason.
      if (!finalizers.includes("foregroundDeletion") || passed.includes(one)) return false;
      return this.#isBlocked(now, left, [...passed, one]);
    });
  }

  /** Whoever the collector deletes must have owners, all of them known and none of them solid. */
  async #wrongWith({ path }: TransportRequest): Promise<readonly string[]> {
    const one = this.#made.find(({ kind, object }) => {
      const { name = "", namespace } = object.metadata;
      return path.endsWith(`/${kind.plural}/${name}`) && path.includes(`/${namespace ?? ""}`);
    });
    if (!one) return [`DELETE ${path}, which nobody has made`];
    const now = await ignoreNotFound(this.#cluster.client.get(one.kind, keyOf(one.object)));
    if (!now) return [];
    const owners = now.metadata.ownerReferences ?? [];
    if (owners.length === 0) return [`${text(one)} is deleted without owners`];
    if (hasUnknowable(now)) return [`${text(one)} is deleted, although its owner cannot be known`];
    const wrong: string[] = [];
    for (const owner of owners)
      if (await this.#isSolid(now, owner))
        wrong.push(`${text(one)} is deleted, although ${owner.name} owns it`);
    return wrong;
  }

  async #isSolid({ metadata }: KubernetesObject, owner: OwnerReference): Promise<boolean> {
    const kind = kinds.find((each) => each.kind === owner.kind);
    if (!kind) return false;
    const key = { name: owner.name, namespace: metadata.namespace };
    const found = await ignoreNotFound(this.#cluster.client.get(kind, key));
    if (found?.metadata.uid !== owner.uid) return false;
    // Its finalizer may have been taken away since it was decided that it waits for its dependents.
    return !(found.metadata.deletionTimestamp && this.#inForeground.has(owner.uid));
  }

  async #create(name: string): Promise<void> {
    const random = this.#random;
    const kind = pick(random, kinds) ?? Apple;
    const isNamespaced = kind.scope === "Namespaced";
    const namespace = isNamespaced ? pick(random, namespaces) : undefined;
    const references: OwnerReference[] = [];
    const ownedBy: Made[] = [];
    const unknowable: (Made | undefined)[] = [];
    for (let i = below(random, 4); i > 0; i--) {
      const owner = random.next() < 0.85 ? pick(random, this.#made) : undefined;
      const reference = owner ? this.#referenceTo(owner) : missing(name, i, random);
      if (references.some(({ uid }) => uid === reference.uid)) continue;
      references.push(reference);
      if (owner && isInReach(owner, namespace)) ownedBy.push(owner);
      else if (!isNamespaced) unknowable.push(owner);
    }
    const metadata = {
      name,
      ...(namespace && { namespace }),
      ownerReferences: references,
      finalizers: random.next() < 0.2 ? [holding] : [],
    };
    const object = await this.#cluster.client.create(kind, { metadata });
    const one = { kind, object, owners: references, ownedBy, unknowable };
    this.#made.push({ ...one, isChanged: false });
  }

  #referenceTo({ object }: Made): OwnerReference {
    const blockOwnerDeletion = this.#random.next() < 0.6;
    return ownerRef(object, { blockOwnerDeletion });
  }

  /** Adds one that is there to the owners of another. */
  async #addOwner(): Promise<void> {
    const [one, owner] = [pick(this.#random, this.#made), pick(this.#random, this.#made)];
    // Who blocks himself waits for ever, as upstream.
    if (!one || !owner || one === owner) return;
    if (one.owners.some(({ uid }) => uid === owner.object.metadata.uid)) return;
    const { client } = this.#cluster;
    const now = await ignoreNotFound(client.get(one.kind, keyOf(one.object)));
    if (!now) return;
    const reference = this.#referenceTo(owner);
    const ownerReferences = [...(now.metadata.ownerReferences ?? []), reference];
    const change = { metadata: { ownerReferences } };
    const changed = await ignoreNotFound(
      client.patch(one.kind, keyOf(one.object), { merge: change }),
    );
    if (!changed) return;
    one.owners.push(reference);
    one.isChanged ||= this.#isRunning;
    if (isInReach(owner, one.object.metadata.namespace)) one.ownedBy.push(owner);
    // Of who is about to go nobody asks for the owners any more.
    else if (hasUnknowable(changed) && !changed.metadata.deletionTimestamp)
      one.unknowable.push(owner);
  }

  /** Takes away what holds it, as whoever holds it does in the end. */
  async #release(one: Made | undefined): Promise<void> {
    if (!one) return;
    const { client } = this.#cluster;
    for (;;) {
      const now = await ignoreNotFound(client.get(one.kind, keyOf(one.object)));
      const { finalizers = [], resourceVersion, uid } = now?.metadata ?? {};
      if (!finalizers.includes(holding) || uid !== one.object.metadata.uid) return;
      const left = finalizers.filter((name) => name !== holding);
      const merge = { metadata: { resourceVersion, finalizers: left.length > 0 ? left : null } };
      try {
        await ignoreNotFound(client.patch(one.kind, keyOf(one.object), { merge }));
        return;
      } catch (error) {
        if (!StatusError.is(error, "Conflict")) throw error;
      }
    }
  }
}

/** An owner that was never there, or is called otherwise. */
const missing = (name: string, i: number, random: Random): OwnerReference => ({
  apiVersion: "v1",
  kind: random.next() < 0.5 ? "ConfigMap" : "Secret",
  name: `none-${name}-${i}`,
  uid: `none-${name}-${random.next() < 0.5 ? i : 0}`,
  blockOwnerDeletion: true,
});

/** Whether something in a namespace, or in none, can be owned by it. */
const isInReach = ({ object, kind }: Made, namespace: string | undefined): boolean =>
  kind.scope === "Cluster" || object.metadata.namespace === namespace;

/**
 * Whether it stays unless somebody deletes it, as one of its owners cannot be known. That is over only
 * when that owner is deleted as an orphan's: then it is forgotten by all who refer to it.
 */
const isKept = ({ unknowable }: Made): boolean =>
  unknowable.some((owner) => owner?.deletedWith !== "Orphan");

/** Whether it is in no namespace, and refers to something that is in one. */
const hasUnknowable = ({ metadata }: KubernetesObject): boolean =>
  !metadata.namespace &&
  Boolean(metadata.ownerReferences?.some(({ kind }) => kind !== "ClusterRole"));

/**
 * Whether it may be left although its owners are gone. Who could not be decided on when they went is not
 * asked about again when the owner that could not be known is forgotten: as upstream, until a restart.
 */
const mayStay = ({ unknowable }: Made): boolean => unknowable.length > 0;

const isLiving = (
  { metadata }: KubernetesObject,
  { uid }: OwnerReference,
  left: ReadonlyMap<string, KubernetesObject>,
): boolean => {
  const owner = left.get(uid);
  const { namespace } = owner?.metadata ?? {};
  return owner !== undefined && (namespace === undefined || namespace === metadata.namespace);
};

const text = ({ kind, object }: Made): string => `${kind.kind} ${formatKey(keyOf(object))}`;

const definition = {
  metadata: { name: "apples.example.com" },
  spec: {
    group: "example.com",
    names: { plural: "apples", kind: "Apple" },
    scope: "Namespaced" as const,
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object" } },
      },
    ],
  },
};
