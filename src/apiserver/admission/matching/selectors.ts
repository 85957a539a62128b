import { Namespace } from "../../../api/core/v1/namespace.ts";
import {
  type LabelSelectorObject,
  labelSelector,
  type Selector,
} from "../../../schema/selectors/label-selector.ts";
import type { Reader } from "../../objects/reader.ts";
import type { Attributes } from "../admission.ts";
import { namespaceNamed } from "./namespace-named.ts";
import { requestedNamespace, requestedObjects } from "./requested.ts";

/** The labels of the objects and namespaces that a webhook or a policy is meant for. */
export interface SelectorCriteria {
  readonly namespaceSelector?: LabelSelectorObject | null | undefined;
  readonly objectSelector?: LabelSelectorObject | null | undefined;
}

/** Whether a request is meant by its labels: at once where the cache has the namespace. */
export type SelectorMatcher = (attributes: Attributes) => boolean | Promise<boolean>;

/** Compiles selectors. A namespace that does not exist is an error, though only for what is meant otherwise. */
export function selectorMatcher(
  reader: Pick<Reader, "serves" | "getCached" | "get">,
  criteria: SelectorCriteria,
): SelectorMatcher {
  const namespaces = labelSelector(criteria.namespaceSelector);
  const objects = labelSelector(criteria.objectSelector);
  return (attributes) => {
    if (!matchesObject(objects, attributes)) return false;
    if (isEmpty(namespaces) || isOutsideNamespaces(attributes)) return true;
    const labels = namespaceLabels(reader, attributes);
    return labels instanceof Promise ? labels.then(namespaces.matches) : namespaces.matches(labels);
  };
}

const isEmpty = ({ requirements, selectable }: Selector): boolean =>
  selectable && requirements.length === 0;

/** Either the new object or the old one. */
function matchesObject(selector: Selector, attributes: Attributes): boolean {
  if (isEmpty(selector)) return true;
  const { object, old } = requestedObjects(attributes);
  return [object, old].some((seen) => seen?.metadata && selector.matches(seen.metadata.labels));
}

const isOutsideNamespaces = (attributes: Attributes): boolean =>
  requestedNamespace(attributes) === "" && attributes.address.kind.plural !== "namespaces";

type Labels = Readonly<Record<string, string>> | undefined;

/** The labels of a request's namespace; those of a namespace that is written are in the request. */
function namespaceLabels(
  reader: Pick<Reader, "serves" | "getCached" | "get">,
  attributes: Attributes,
): Labels | Promise<Labels> {
  const { operation, subresource, address, object } = attributes;
  const isWritten = operation === "CREATE" || operation === "UPDATE";
  if (address.kind.plural === "namespaces" && subresource === "" && isWritten)
    return object.metadata.labels;
  const name = requestedNamespace(attributes);
  if (!reader.serves(Namespace)) return undefined;
  const namespace = namespaceNamed(reader, name);
  if (namespace instanceof Promise) return namespace.then(({ metadata }) => metadata.labels);
  return namespace.metadata.labels;
}
