import type { ObjectMeta, OwnerReference } from "../../api/meta/v1/object-meta.ts";
import type { ObjectReference } from "./object-reference.ts";
import { blocks } from "./owner-changes.ts";

/** An object in the graph. There is one for each object of the cluster, so it is small. */
export interface GraphNode extends ObjectReference {
  owners: readonly OwnerReference[];
  /** The objects that refer to it as an owner; most have none. */
  dependents: Set<GraphNode> | undefined;
  isBeingDeleted: boolean;
  /** Whether it is being deleted in the foreground, and waits for blocking dependents. */
  isDeletingDependents: boolean;
  /** Whether it is known only from references: no informer has shown it. */
  isVirtual: boolean;
}

/** The part of an object that the graph needs. */
export interface GraphObject {
  readonly reference: ObjectReference;
  readonly owners: readonly OwnerReference[];
  readonly isBeingDeleted: boolean;
  readonly finalizers: readonly string[];
}

/** The finalizer that keeps an object until its dependents are orphaned. */
export const orphanFinalizer = "orphan";
/** The finalizer that keeps an object until its blocking dependents are gone. */
export const foregroundFinalizer = "foregroundDeletion";

/** The part of an object that the graph needs, from its metadata. */
export const graphObject = (
  { apiVersion, kind }: Pick<ObjectReference, "apiVersion" | "kind">,
  metadata: ObjectMeta,
): GraphObject => ({
  reference: {
    apiVersion,
    kind,
    namespace: metadata.namespace ?? "",
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
  },
  owners: metadata.ownerReferences ?? none,
  isBeingDeleted: metadata.deletionTimestamp !== undefined,
  finalizers: metadata.finalizers ?? none,
});

/** A node for an observed object. */
export const observedNode = (object: GraphObject): GraphNode => {
  const { reference, owners, isBeingDeleted, finalizers } = object;
  const node = virtualNode(reference);
  node.owners = owners;
  node.isBeingDeleted = isBeingDeleted;
  node.isDeletingDependents = isBeingDeleted && finalizers.includes(foregroundFinalizer);
  node.isVirtual = false;
  return node;
};

/** A node for an object known from references only. All nodes are created here, with the same shape, to stay small. */
export const virtualNode = ({
  apiVersion,
  kind,
  namespace,
  name,
  uid,
}: ObjectReference): GraphNode => ({
  apiVersion,
  kind,
  namespace,
  name,
  uid,
  owners: none,
  dependents: undefined,
  isBeingDeleted: false,
  isDeletingDependents: false,
  isVirtual: true,
});

/** The same node with another identity; queued items of the old node are ignored. */
export const renamed = (node: GraphNode, reference: ObjectReference): GraphNode => ({
  ...node,
  ...reference,
  dependents: node.dependents && new Set(node.dependents),
});

export const dependentsOf = ({ dependents }: GraphNode): readonly GraphNode[] =>
  dependents ? [...dependents] : none;

/** The dependents that block the foreground deletion. */
export const blockingDependents = (node: GraphNode): readonly GraphNode[] =>
  dependentsOf(node).filter(({ owners }) =>
    owners.some((owner) => owner.uid === node.uid && blocks(owner)),
  );

const none: readonly never[] = Object.freeze([]);
