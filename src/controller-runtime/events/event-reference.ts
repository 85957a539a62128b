import type { ObjectReference } from "../../api/core/v1/object-reference.ts";
import type { KubernetesObject } from "../../client/resource-kind.ts";

/** How an event names the object it is about. */
export const referenceTo = ({ apiVersion, kind, metadata }: KubernetesObject): ObjectReference => ({
  kind,
  ...(metadata.namespace && { namespace: metadata.namespace }),
  name: metadata.name ?? "",
  ...(metadata.uid && { uid: metadata.uid }),
  apiVersion,
  ...(metadata.resourceVersion && { resourceVersion: metadata.resourceVersion }),
});

/** An object, whatever version it is in. */
export const referenceText = ({
  kind,
  namespace,
  name,
  uid,
  apiVersion,
}: ObjectReference): string => [kind, namespace, name, uid, apiVersion].join("\0");
