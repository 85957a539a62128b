import type { OwnerReference } from "../../api/meta/v1/object-meta.ts";
import {
  dependentsOf,
  foregroundFinalizer,
  type GraphNode,
  type GraphObject,
  observedNode,
  orphanFinalizer,
  renamed,
  virtualNode,
} from "./graph-node.ts";
import {
  type ObjectReference,
  ownerIn,
  sameCoordinates,
  sameReference,
} from "./object-reference.ts";
import { ownerChanges, unblockedOwners } from "./owner-changes.ts";
import { alternativeOwner, whoMeans } from "./owner-identity.ts";

/** An event for the graph. */
export type GraphEvent =
  /** An informer shows an object; `old` is its previous version. */
  | { readonly type: "seen"; readonly object: GraphObject; readonly old?: GraphObject | undefined }
  /** An informer shows a deletion. */
  | { readonly type: "gone"; readonly reference: ObjectReference }
  /** The server responded that the object does not exist. */
  | { readonly type: "absent"; readonly reference: ObjectReference };

/** An action that follows from an event. */
export type GraphEffect =
  | { readonly type: "delete" | "deleteLater" | "orphan"; readonly node: GraphNode }
  /** The owner is absent, and need not be read again. */
  | { readonly type: "remember"; readonly absent: ObjectReference }
  /** A dependent refers to an owner in another namespace, which is not allowed. */
  | { readonly type: "warn"; readonly node: GraphNode; readonly owner: ObjectReference };

/**
 * All objects by uid, with their owners and dependents.
 *
 * ```
 * seen pod (owner: set)   pod → set (virtual)    delete set: is it there?
 * seen set                pod → set              –
 * gone set                pod                    remember set, delete pod
 * ```
 *
 * The dependents of a node have it among their owners, and the other way round while both are in the
 * graph.
 */
export class DependencyGraph {
  readonly #nodes = new Map<string, GraphNode>();

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  get size(): number {
    return this.#nodes.size;
  }

  nodes(): IterableIterator<GraphNode> {
    return this.#nodes.values();
  }

  /** Applies an event to the graph, and returns the actions that follow. */
  apply(event: GraphEvent): readonly GraphEffect[] {
    const effects: GraphEffect[] = [];
    if (event.type === "seen") this.#see(event, effects);
    else {
      const node = this.#nodes.get(event.reference.uid);
      if (!node) return effects;
      if (event.type === "absent") this.#doubt(node, event.reference, effects);
      else {
        const seen = node.isVirtual ? this.#observe(node, event.reference, effects) : node;
        this.#remove(seen, event.reference, effects);
      }
    }
    return effects;
  }

  #see({ object, old }: GraphEvent & { type: "seen" }, effects: GraphEffect[]): void {
    const known = this.#nodes.get(object.reference.uid);
    if (!known) {
      const node = observedNode(object);
      this.#nodes.set(node.uid, node);
      this.#link(node, node.owners, effects);
      this.#begin(node, { object, old }, effects);
      return;
    }
    const node = known.isVirtual ? this.#observe(known, object.reference, effects) : known;
    const changes = ownerChanges(node.owners, object.owners);
    for (const uid of unblockedOwners(changes)) {
      const owner = this.#nodes.get(uid);
      if (owner) effects.push({ type: "delete", node: owner });
    }
    node.owners = object.owners;
    this.#link(node, changes.added, effects);
    this.#unlink(node, changes.removed);
    if (object.isBeingDeleted) node.isBeingDeleted = true;
    this.#begin(node, { object, old }, effects);
  }

  /** A virtual node has been observed, perhaps with another identity than in some references. */
  #observe(known: GraphNode, seen: ObjectReference, effects: GraphEffect[]): GraphNode {
    let node = known;
    if (!sameReference(known, seen)) {
      for (const dependent of whoMeans(seen, dependentsOf(known)).others) {
        if (seen.namespace !== "" && dependent.namespace !== seen.namespace)
          warn(dependent, seen.uid, effects);
        effects.push({ type: "delete", node: dependent });
      }
      node = renamed(known, seen);
      this.#nodes.set(node.uid, node);
    }
    node.isVirtual = false;
    return node;
  }

  /** Starts orphaning or foreground deletion when a deletion begins. */
  #begin(
    node: GraphNode,
    { object, old }: Pick<GraphEvent & { type: "seen" }, "object" | "old">,
    effects: GraphEffect[],
  ): void {
    const begins = (finalizer: string): boolean =>
      isHeldBy(object, finalizer) && !(old && isHeldBy(old, finalizer));
    if (begins(orphanFinalizer)) effects.push({ type: "orphan", node });
    else if (begins(foregroundFinalizer)) {
      node.isDeletingDependents = true;
      for (const dependent of dependentsOf(node)) effects.push({ type: "delete", node: dependent });
      effects.push({ type: "delete", node });
    }
  }

  /** Adds a node to the dependents of its owners; owners that were never observed become virtual nodes. */
  #link(node: GraphNode, owners: readonly OwnerReference[], effects: GraphEffect[]): void {
    let isDoubtful = false;
    for (const reference of owners) {
      const known = this.#nodes.get(reference.uid);
      const owner = known ?? virtualNode(ownerIn(reference, node.namespace));
      owner.dependents ??= new Set();
      owner.dependents.add(node);
      if (!known) {
        this.#nodes.set(owner.uid, owner);
        effects.push({ type: "delete", node: owner });
      } else if (!isDoubtful && !agrees(node, reference, owner)) {
        isDoubtful = true;
        if (!owner.isVirtual && owner.namespace !== "" && owner.namespace !== node.namespace)
          warn(node, owner.uid, effects);
      }
    }
    if (isDoubtful) effects.push({ type: "delete", node });
  }

  #unlink(node: GraphNode, owners: readonly OwnerReference[]): void {
    for (const { uid } of owners) {
      const owner = this.#nodes.get(uid);
      owner?.dependents?.delete(node);
      if (owner?.dependents?.size === 0) owner.dependents = undefined;
    }
  }

  /** Handles an object that does not exist; other dependents may use the same uid with another identity. */
  #doubt(node: GraphNode, absent: ObjectReference, effects: GraphEffect[]): void {
    const { matching, others } = whoMeans(absent, dependentsOf(node));
    const isSame = sameReference(node, absent);
    const isRemoved = node.isVirtual ? others.length === 0 : isSame;
    if (isRemoved) {
      this.#remove(node, absent, effects);
      return;
    }
    if (matching.length > 0) effects.push({ type: "remember", absent });
    for (const dependent of matching) effects.push({ type: "delete", node: dependent });
    const other = node.isVirtual && isSame ? alternativeOwner(absent, others) : undefined;
    if (!other) return;
    const next = renamed(node, other);
    this.#nodes.set(next.uid, next);
    effects.push({ type: "deleteLater", node: next });
  }

  #remove(node: GraphNode, gone: ObjectReference, effects: GraphEffect[]): void {
    this.#nodes.delete(node.uid);
    this.#unlink(node, node.owners);
    const dependents = dependentsOf(node);
    if (dependents.length > 0) effects.push({ type: "remember", absent: gone });
    for (const dependent of dependents) effects.push({ type: "delete", node: dependent });
    for (const { uid } of node.owners) {
      const owner = this.#nodes.get(uid);
      if (owner?.isDeletingDependents) effects.push({ type: "delete", node: owner });
    }
  }
}

const isHeldBy = ({ isBeingDeleted, finalizers }: GraphObject, finalizer: string): boolean =>
  isBeingDeleted && finalizers.includes(finalizer);

/** Whether a reference matches the known owner; if not, the server must be asked. */
function agrees(node: GraphNode, reference: OwnerReference, owner: GraphNode): boolean {
  const isHere = owner.namespace === node.namespace;
  if (owner.namespace !== "" && !isHere) return false;
  if (!sameCoordinates(reference, owner)) return false;
  // A cluster-scoped object may refer to a namespaced kind.
  return isHere || !owner.isVirtual;
}

function warn(node: GraphNode, uid: string, effects: GraphEffect[]): void {
  const reference = node.owners.find((owner) => owner.uid === uid);
  if (!reference) return;
  effects.push({ type: "warn", node, owner: ownerIn(reference, node.namespace) });
}
