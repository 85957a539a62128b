import type { ObjectMeta, OwnerReference } from "../../api/meta/v1/object-meta.ts";
import type { ObjectReference } from "./object-reference.ts";
import { blocks } from "./owner-changes.ts";

/** An object in the graph. There are as many as objects in the cluster, so it has nothing to spare. */
export interface GraphNode extends ObjectReference {
  owners: readonly OwnerReference[];
  /** Who refers to it as an owner; most have none. */
  dependents: Set<GraphNode> | undefined;
  isBeingDeleted: boolean;
  /** Whether it is deleted in the foreground: it waits for those who block that. */
  isDeletingDependents: boolean;
  /** Whether it is known only because others refer to it: no informer has shown it. */
  isVirtual: boolean;
}

/** What of an object the graph is made of. */
export interface GraphObject {
  readonly reference: ObjectReference;
  readonly owners: readonly OwnerReference[];
  readonly isBeingDeleted: boolean;
  readonly finalizers: readonly string[];
}

/** Holds an object until its dependents have forgotten it. */
export const orphanFinalizer = "orphan";
/** Holds an object until its blocking dependents are gone. */
export const foregroundFinalizer = "foregroundDeletion";

/** What the graph takes of an object of a kind. */
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

/** A node of what was seen. */
export const observedNode = (object: GraphObject): GraphNode => {
  const { reference, owners, isBeingDeleted, finalizers } = object;
  const node = virtualNode(reference);
  node.owners = owners;
  node.isBeingDeleted = isBeingDeleted;
  node.isDeletingDependents = isBeingDeleted && finalizers.includes(foregroundFinalizer);
  node.isVirtual = false;
  return node;
};

/** A node of what was only referred to. All are made here, field by field: so they are small. */
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

/** The same node by another name; what was queued of the old one is not meant any more. */
export const renamed = (node: GraphNode, reference: ObjectReference): GraphNode => ({
  ...node,
  ...reference,
  dependents: node.dependents && new Set(node.dependents),
});

export const dependentsOf = ({ dependents }: GraphNode): readonly GraphNode[] =>
  dependents ? [...dependents] : none;

/** The dependents that a deletion in the foreground waits for. */
export const blockingDependents = (node: GraphNode): readonly GraphNode[] =>
  dependentsOf(node).filter(({ owners }) =>
    owners.some((owner) => owner.uid === node.uid && blocks(owner)),
  );

const none: readonly never[] = Object.freeze([]);
