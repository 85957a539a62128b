import { Node } from "../../../api/core/v1/node/node.ts";
import { Pod } from "../../../api/core/v1/pod/pod.ts";
import { mirrorPodAnnotation } from "../../../api/core/v1/pod/pod-annotations.ts";
import { podApiReference } from "../../../api/core/v1/pod/pod-api-reference.ts";
import type { OwnerReference } from "../../../api/meta/v1/object-meta.ts";
import { notFound } from "../../../api/meta/v1/status-error.ts";
import { errorMessage } from "../../../base/error-message.ts";
import { sameJson } from "../../../schema/json/json-value.ts";
import { quote } from "../../../schema/values/quote.ts";
import { objectOf, oldOf } from "../typed-attributes.ts";
import type { NodeRequest, NodeRule } from "./node-restriction.ts";

/** A node may create mirror pods of itself, and delete its own pods. */
export const podsOfNode: NodeRule = (request) => {
  const { node, attributes } = request;
  const { operation } = attributes;
  if (operation === "CREATE") return createdPod(request);
  if (operation !== "DELETE")
    return `unexpected operation ${quote(operation)}, node ${quote(node)} can only create and delete mirror pods`;
  return oldOf(Pod, attributes).spec.nodeName === node
    ? undefined
    : `node ${quote(node)} can only delete pods with spec.nodeName set to itself`;
};

async function createdPod({ node, attributes, setup }: NodeRequest): Promise<string | undefined> {
  const { metadata, spec } = objectOf(Pod, attributes);
  const { annotations = {}, ownerReferences = [] } = metadata;
  if (annotations[mirrorPodAnnotation] === undefined)
    return `pod does not have ${quote(mirrorPodAnnotation)} annotation, node ${quote(node)} can only create mirror pods`;
  if (spec.nodeName !== node)
    return `node ${quote(node)} can only create pods with spec.nodeName set to itself`;
  const fault = ownerFault(node, ownerReferences);
  if (fault !== undefined) return fault;
  const stored = await setup.reader.getCachedFirst(Node, { name: node });
  if (!stored) throw notFound({ group: "", resource: "node", name: node });
  const [owner] = ownerReferences;
  if (owner?.uid !== stored.metadata.uid)
    return `node ${node} UID mismatch: expected ${owner?.uid} got ${stored.metadata.uid}`;
  return referenceFault(node, spec);
}

/** Why the owners of a mirror pod are not its node alone. */
function ownerFault(node: string, owners: readonly OwnerReference[]): string | undefined {
  const only = (what: string) =>
    `node ${quote(node)} can only create pods with ${what} set to itself`;
  if (owners.length > 1) return only("a single owner reference");
  const [owner] = owners;
  if (owner?.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== node)
    return only("an owner reference");
  if (!owner.controller) return only("a controller owner reference");
  return owner.blockOwnerDeletion
    ? `node ${quote(node)} must not set blockOwnerDeletion on an owner reference`
    : undefined;
}

/** A node would gain the right to read the objects that its pods refer to. */
function referenceFault(node: string, spec: Pod["spec"]): string | undefined {
  try {
    const resource = podApiReference(spec);
    return resource && `node ${quote(node)} can not create pods that reference ${resource}`;
  } catch (error) {
    return `error checking mirror pod for API references: ${errorMessage(error)}`;
  }
}

/** A node may write the status of its own pods, without changing what others own of it. */
export const podStatuses: NodeRule = ({ node, attributes }) => {
  const { operation } = attributes;
  if (operation !== "UPDATE") return `unexpected operation ${quote(operation)}`;
  const [now, old] = [objectOf(Pod, attributes), oldOf(Pod, attributes)];
  if (old.spec.nodeName !== node)
    return `node ${quote(node)} can only update pod status for pods with spec.nodeName set to itself`;
  if (!sameJson(now.metadata.labels ?? {}, old.metadata.labels ?? {}))
    return `node ${quote(node)} cannot update labels through pod status`;
  const [status, before] = [now.status ?? {}, old.status ?? {}];
  if (!sameJson(status.resourceClaimStatuses ?? [], before.resourceClaimStatuses ?? []))
    return `node ${quote(node)} cannot update resource claim statues`;
  if (!sameJson(status.extendedResourceClaimStatus, before.extendedResourceClaimStatus))
    return `node ${quote(node)} cannot update extended resource claim status`;
  return undefined;
};

/** A node may evict its own pods. */
export const podEvictions: NodeRule = async ({ node, attributes, setup }) => {
  const { operation, address, object } = attributes;
  if (operation !== "CREATE") return `unexpected operation ${operation}`;
  const name = address.name || object.metadata.name;
  if (!name) return "could not determine pod from request data";
  const { namespace } = address;
  const pod = await setup.reader.getCachedFirst(Pod, { namespace, name });
  if (!pod) throw notFound({ group: "", resource: "pod", name });
  return pod.spec.nodeName === node
    ? undefined
    : `node ${node} can only evict pods with spec.nodeName set to itself`;
};
