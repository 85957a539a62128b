import { type Gvk, gvkText, hasNoNamespace, isSelected, parseApiVersion, sameGvk } from "./gvk.ts";

/** What identifies a resource of a build. */
export interface ResId extends Gvk {
  readonly name: string;
  readonly namespace: string;
}

/** The namespace in which objects without one are. */
const defaultNamespace = "default";
/** Stands for the namespace of kinds that have none. */
export const noNamespace = "_non_namespaceable_";

/** The namespace that an object is in: `default` where it names none. */
export function effectiveNamespace(id: ResId): string {
  if (hasNoNamespace(id)) return noNamespace;
  return id.namespace === "" ? defaultNamespace : id.namespace;
}

export const sameNamespace = (a: ResId, b: ResId): boolean =>
  effectiveNamespace(a) === effectiveNamespace(b);

export const sameKindAndName = (a: ResId, b: ResId): boolean => a.name === b.name && sameGvk(a, b);

export const sameId = (a: ResId, b: ResId): boolean => sameKindAndName(a, b) && sameNamespace(a, b);

/** Whether a selector, whose parts may be empty, is for an id. */
export const isIdSelectedBy = (id: ResId, selector: ResId): boolean =>
  (selector.name === "" || selector.name === id.name) &&
  (selector.namespace === "" || sameNamespace(selector, id)) &&
  isSelected(id, selector);

/** An id as messages name it: `Deployment.v1.apps/web.[noNs]`. */
export const resIdText = (id: ResId): string =>
  `${gvkText(id)}/${id.name || "[noName]"}.${id.namespace || "[noNs]"}`;

/** An id as Go's %#v writes it. */
export function resIdSyntax(id: ResId): string {
  const q = JSON.stringify;
  const gvk = `resid.Gvk{Group:${q(id.group)}, Version:${q(id.version)}, Kind:${q(id.kind)}, isClusterScoped:${hasNoNamespace(id)}}`;
  return `resid.ResId{Gvk:${gvk}, Name:${q(id.name)}, Namespace:${q(id.namespace)}}`;
}

/** An id of the parts that an object has. */
export function resId(parts: {
  apiVersion: string;
  kind: string;
  name: string;
  namespace: string;
}): ResId {
  const { apiVersion, kind, name, namespace } = parts;
  return { ...parseApiVersion(apiVersion), kind, name, namespace };
}
