import type { GraphNode } from "./graph-node.ts";
import {
  comesBefore,
  type ObjectReference,
  ownerIn,
  sameCoordinates,
  sameReference,
} from "./object-reference.ts";

/** Dependents by whether they mean this very owner. One that refers to it twice can be on both sides. */
export interface Meant {
  readonly matching: readonly GraphNode[];
  readonly others: readonly GraphNode[];
}

/** Tells dependents who name an owner as it is from those who name it otherwise, by the same uid. */
export function whoMeans(owner: ObjectReference, dependents: readonly GraphNode[]): Meant {
  const matching: GraphNode[] = [];
  const others: GraphNode[] = [];
  for (const dependent of dependents) {
    if (owner.namespace !== "" && owner.namespace !== dependent.namespace) {
      others.push(dependent);
      continue;
    }
    const references = dependent.owners.filter(({ uid }) => uid === owner.uid);
    const isMeant = (one: (typeof references)[number]) => sameCoordinates(one, owner);
    if (references.some(isMeant)) matching.push(dependent);
    if (!references.every(isMeant)) others.push(dependent);
  }
  return { matching, others };
}

/**
 * Another owner that dependents may mean by the same uid, where `absent` is known not to be there: the
 * next one in order, and the first one after the last, so that all of them have their turn.
 */
export function alternativeOwner(
  absent: ObjectReference,
  dependents: readonly GraphNode[],
): ObjectReference | undefined {
  let first: ObjectReference | undefined;
  let next: ObjectReference | undefined;
  for (const other of dependents.flatMap((dependent) => otherOwners(absent, dependent))) {
    if (!first || comesBefore(other, first)) first = other;
    if (comesBefore(absent, other) && (!next || comesBefore(other, next))) next = other;
  }
  return next ?? first;
}

/** What a dependent may mean by the uid of an owner, other than that owner. */
function otherOwners(
  absent: ObjectReference,
  { owners, namespace }: GraphNode,
): readonly ObjectReference[] {
  const isClusterWide = absent.namespace === "";
  return owners
    .filter(({ uid }) => uid === absent.uid)
    .map((owner) => {
      // Of a kind that is known to be in no namespace, none is in one.
      const isSameKind = owner.apiVersion === absent.apiVersion && owner.kind === absent.kind;
      return ownerIn(owner, isClusterWide && isSameKind ? "" : namespace);
    })
    .filter((other) => !sameReference(other, absent));
}
