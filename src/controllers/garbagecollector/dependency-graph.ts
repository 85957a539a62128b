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

/** Something that the graph is told. */
export type GraphEvent =
  /** An informer shows an object; `old` is how it showed it before. */
  | { readonly type: "seen"; readonly object: GraphObject; readonly old?: GraphObject | undefined }
  /** An informer shows that it is gone. */
  | { readonly type: "gone"; readonly reference: ObjectReference }
  /** The server has said that there is no such object. */
  | { readonly type: "absent"; readonly reference: ObjectReference };

/** What is to be done about an event. */
export type GraphEffect =
  | { readonly type: "delete" | "deleteLater" | "orphan"; readonly node: GraphNode }
  /** That this owner is not there need not be asked again. */
  | { readonly type: "remember"; readonly absent: ObjectReference }
  /** A dependent refers to an owner in another namespace, which nobody can. */
  | { readonly type: "warn"; readonly node: GraphNode; readonly owner: ObjectReference };

/**
 * All objects by uid, with who belongs to whom.
 *
 * ```
 * seen pod (owner: set)   pod → set (virtual)    delete set: is it there?
 * seen set                pod → set              –
 * gone set                pod                    remember set, delete pod
 * ```
 *
 * Whoever a node has among its dependents has it among his owners, and the other way round as long as
 * both are in the graph.
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

  /** Changes the graph as an event says, and answers what is to be done. */
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

  /** What was only referred to has been seen, maybe by another name than some use for it. */
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

  /** Starts what a deletion asks for, when it begins. */
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

  /** Makes a node a dependent of owners; those that were never seen are to be looked for. */
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

  /** The server has no object of this name and uid; others may mean another by the same uid. */
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

/** Whether a reference means what is known of the owner; if not, the server has to be asked. */
function agrees(node: GraphNode, reference: OwnerReference, owner: GraphNode): boolean {
  const isHere = owner.namespace === node.namespace;
  if (owner.namespace !== "" && !isHere) return false;
  if (!sameCoordinates(reference, owner)) return false;
  // It may be of a kind that is in namespaces, to which something in none refers.
  return isHere || !owner.isVirtual;
}

function warn(node: GraphNode, uid: string, effects: GraphEffect[]): void {
  const reference = node.owners.find((owner) => owner.uid === uid);
  if (!reference) return;
  effects.push({ type: "warn", node, owner: ownerIn(reference, node.namespace) });
}
