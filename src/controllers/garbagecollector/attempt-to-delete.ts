import type { OwnerReference } from "../../api/meta/v1/object-meta.ts";
import type { Log } from "../../base/log.ts";
import type { MetadataObject } from "../../client/resource-kind.ts";
import type { WorkOutcome } from "../../controller-runtime/reconcile/run-workers.ts";
import type { AbsentOwners } from "./absent-owners.ts";
import { type ClassifiedOwners, deletionPlan } from "./deletion-plan.ts";
import type { DependencyGraph, GraphEvent } from "./dependency-graph.ts";
import {
  blockingDependents,
  dependentsOf,
  foregroundFinalizer,
  type GraphNode,
} from "./graph-node.ts";
import { NamespacedOwner, type ObjectCalls } from "./object-calls.ts";
import { type ObjectReference, ownerIn, referenceText } from "./object-reference.ts";
import { blocks } from "./owner-changes.ts";

/** What attempts share. */
export interface Attempt {
  readonly graph: DependencyGraph;
  readonly absentOwners: AbsentOwners;
  readonly calls: ObjectCalls;
  /** Applies an event to the graph, and carries out what follows from it. */
  readonly notify: (event: GraphEvent) => void;
  /** Enqueues a node for deletion. */
  readonly enqueue: (node: GraphNode) => void;
  readonly log: Log;
}

/** Deletes an object if all its owners are gone, or continues its foreground deletion; throws to be retried. */
export async function attemptToDelete(node: GraphNode, ctx: Attempt): Promise<WorkOutcome> {
  // The object is gone, or another node has replaced this one.
  if (ctx.graph.get(node.uid) !== node) return "done";
  try {
    await attempt(node, ctx);
  } catch (error) {
    // A retry would fail in the same way.
    if (error instanceof NamespacedOwner) return "done";
    throw error;
  }
  // An object that exists, but is not in the graph yet, may be deleted before an informer shows it.
  return node.isVirtual && ctx.graph.get(node.uid) === node ? "retry" : "done";
}

async function attempt(node: GraphNode, ctx: Attempt): Promise<void> {
  const { calls, log } = ctx;
  const item = referenceText(node);
  log.debug("processing item", { item, virtual: node.isVirtual });
  if (node.isBeingDeleted && !node.isDeletingDependents) return;
  const latest = await calls.get(node);
  if (!latest) {
    log.debug("item not found, generating a virtual delete event", { item });
    ctx.notify({ type: "absent", reference: node });
    return;
  }
  if (node.isDeletingDependents) {
    await goOn(node, ctx);
    return;
  }
  const { ownerReferences = [], finalizers = [] } = latest.metadata;
  if (ownerReferences.length === 0) return;
  // A virtual node has the namespace of its dependent, although the object may be cluster-scoped.
  const place = ownerIn(node, latest.metadata.namespace ?? "");
  const owners = await ifKnowable(classified(place, ownerReferences, ctx));
  if (!owners) return;
  log.debug("classify item's references", { item, ...texts(owners) });
  const plan = deletionPlan({ owners, finalizers, dependents: dependentsOf(node) });
  if (plan.type === "release") await calls.release(node, plan.owners);
  if (plan.type !== "delete") return;
  if (plan.unblock && ownerReferences.some(blocks)) {
    await calls.unblock(node, ownerReferences);
    // The object may have changed meanwhile, so the plan is made again.
    ctx.enqueue(node);
    return;
  }
  const { policy } = plan;
  log.debug("deleting item", { item, propagationPolicy: policy });
  const isThere = await calls.delete(node, { policy, latest });
  if (!isThere) ctx.notify({ type: "absent", reference: node });
}

/** Completes a foreground deletion once no dependent blocks it. */
async function goOn(node: GraphNode, { calls, enqueue, log }: Attempt): Promise<void> {
  const blocking = blockingDependents(node);
  if (blocking.length === 0) {
    log.debug("remove DeleteDependents finalizer for item", { item: referenceText(node) });
    await calls.removeFinalizer(node, foregroundFinalizer);
  }
  for (const dependent of blocking) if (!dependent.isDeletingDependents) enqueue(dependent);
}

/** Undefined for a cluster-scoped object with a namespaced owner: it is kept. */
async function ifKnowable<T>(owners: Promise<T>): Promise<T | undefined> {
  try {
    return await owners;
  } catch (error) {
    if (error instanceof NamespacedOwner) return undefined;
    throw error;
  }
}

async function classified(
  dependent: ObjectReference,
  references: readonly OwnerReference[],
  ctx: Attempt,
): Promise<ClassifiedOwners> {
  const owners = {
    solid: [] as OwnerReference[],
    dangling: [] as OwnerReference[],
    waiting: [] as OwnerReference[],
  };
  for (const reference of references) {
    const owner = await ownerOf(dependent, reference, ctx);
    const { deletionTimestamp, finalizers = [] } = owner?.metadata ?? {};
    const isWaiting = deletionTimestamp && finalizers.includes(foregroundFinalizer);
    owners[owner === undefined ? "dangling" : isWaiting ? "waiting" : "solid"].push(reference);
  }
  return owners;
}

/** The owner of a reference; undefined if it is known not to exist, or is not found. */
async function ownerOf(
  dependent: ObjectReference,
  reference: OwnerReference,
  { absentOwners, calls, log }: Attempt,
): Promise<MetadataObject | undefined> {
  const clusterWide = ownerIn(reference, "");
  const inNamespace = ownerIn(reference, dependent.namespace);
  if (absentOwners.has(clusterWide) || absentOwners.has(inNamespace)) {
    const item = referenceText(dependent);
    const owner = referenceText(inNamespace);
    log.debug("according to the absentOwnerCache, item's owner does not exist", { item, owner });
    return undefined;
  }
  const isNamespaced = await calls.isNamespaced(reference);
  if (isNamespaced && dependent.namespace === "") throw new NamespacedOwner();
  const meant = isNamespaced ? inNamespace : clusterWide;
  const owner = await calls.get(meant);
  if (!owner) absentOwners.add(meant);
  return owner;
}

const texts = (owners: ClassifiedOwners) => ({
  solid: owners.solid.map(({ uid }) => uid),
  dangling: owners.dangling.map(({ uid }) => uid),
  waitingForDependentsDeletion: owners.waiting.map(({ uid }) => uid),
});
