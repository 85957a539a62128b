import type { AnyKind } from "../../objects/object.ts";
import type { Reader } from "../../objects/reader.ts";
import type { Resources } from "../../objects/resources.ts";
import type { Attributes } from "../admission.ts";
import { type ResourceCriteria, resourceMatcher } from "./resource-matcher.ts";
import { type SelectorCriteria, selectorMatcher } from "./selectors.ts";

/** The requests that a webhook or a policy is meant for. */
export interface RequestCriteria extends ResourceCriteria, SelectorCriteria {}

export interface MatchingSetup {
  readonly reader: Pick<Reader, "serves" | "getCached" | "get">;
  readonly resources: Pick<Resources, "kinds">;
}

/** The kind as which the object of a request is to be seen; undefined if the request is not meant. */
export type RequestMatcher = (
  attributes: Attributes,
) => AnyKind | undefined | Promise<AnyKind | undefined>;

/** Compiles the criteria of a webhook or a policy: do this once, not for each request. */
export function requestMatcher(
  { reader, resources }: MatchingSetup,
  criteria: RequestCriteria,
): RequestMatcher {
  const matchesResource = resourceMatcher(resources, criteria);
  const isSelected = selectorMatcher(reader, criteria);
  return (attributes) => {
    const kind = matchesResource(attributes);
    if (!kind) return undefined;
    const selected = isSelected(attributes);
    if (selected instanceof Promise) return selected.then((is) => (is ? kind : undefined));
    return selected === true ? kind : undefined;
  };
}
