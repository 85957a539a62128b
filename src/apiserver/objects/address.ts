import {
  badRequest,
  notFound,
  type ResourceName,
  type StatusError,
} from "../../api/meta/v1/status-error.ts";
import { pathSegmentName } from "../../schema/values/names.ts";
import { quote } from "../../schema/values/quote.ts";
import type { AnyKind } from "./object.ts";
import { storedKind } from "./stored.ts";

/** The place of an object, which need not exist. */
export interface Address {
  readonly kind: AnyKind;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly name: string;
}

/** The store key of an object, laid out as upstream's. */
export const keyOf = ({ kind, namespace, name }: Address): string =>
  kind.scope === "Namespaced"
    ? `/registry/${kind.storagePrefix}/${namespace}/${name}`
    : `/registry/${kind.storagePrefix}/${name}`;

/** The address as errors name it, by the plural of the resource. */
export const resourceName = ({ kind, name }: Address): ResourceName => ({
  group: kind.group,
  resource: kind.plural,
  name,
});

/** The address as errors name it, by the kind that it is stored as. */
export const kindName = ({ kind, name }: Address): ResourceName => ({
  group: storedKind(kind).group,
  resource: kind.kind,
  name,
});

/** The error for an object that does not exist; a name that no object can have is a bad request. */
export function notFoundAt(address: Address): StatusError {
  const problems = pathSegmentName(address.name);
  if (problems.length === 0) return notFound(resourceName(address));
  return badRequest(`Name parameter invalid: ${quote(address.name)}: ${problems.join(";")}`);
}
