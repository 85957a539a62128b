import { goRegexp, regexpFault } from "../../../schema/regexp/go-regexp.ts";
import { parseLabelSelector } from "../../../schema/selectors/label-selector.ts";
import { KustomizeError } from "../kustomize-error.ts";
import { effectiveNamespace, type ResId, resIdText } from "./res-id.ts";
import type { ResMap } from "./res-map.ts";
import type { Resource } from "./resource.ts";

/** Selects resources: each part of the id is a regular expression for all of the text. */
export interface Selector extends ResId {
  readonly annotationSelector: string;
  readonly labelSelector: string;
}

/** A selector as messages name it. */
export const selectorText = (selector: Selector): string =>
  `${resIdText(selector)}:a=${selector.annotationSelector}:l=${selector.labelSelector}`;

interface SelectorPatterns {
  matches(id: ResId): boolean;
  matchesGvk(id: ResId): boolean;
  matchesName(name: string): boolean;
  matchesNamespace(namespace: string): boolean;
}

/** Compiles a selector; throws where a part is no regular expression. */
export function selectorPatterns(selector: Selector): SelectorPatterns {
  const group = pattern(selector.group);
  const version = pattern(selector.version);
  const kind = pattern(selector.kind);
  const matchesName = pattern(selector.name);
  const matchesNamespace = pattern(selector.namespace);
  const matchesGvk = (id: ResId): boolean =>
    group(id.group) && version(id.version) && kind(id.kind);
  return {
    matchesGvk,
    matchesName,
    matchesNamespace,
    matches: (id) => matchesGvk(id) && matchesName(id.name) && matchesNamespace(id.namespace),
  };
}

function pattern(text: string): (value: string) => boolean {
  if (text === "") return () => true;
  const anchored = `^(?:${text})$`;
  const fault = regexpFault(anchored);
  if (fault !== undefined) throw new KustomizeError(fault);
  const program = goRegexp(anchored);
  return (value) => program.test(value);
}

/** The resources that a selector is for, by the ids that they have or had at first. */
export function selectResources(map: ResMap, selector: Selector): Resource[] {
  const patterns = selectorPatterns(selector);
  return map.resources.filter((resource) => {
    const { id, originalId } = resource;
    return (
      (patterns.matchesNamespace(effectiveNamespace(originalId)) ||
        patterns.matchesNamespace(effectiveNamespace(id))) &&
      (patterns.matchesName(originalId.name) || patterns.matchesName(id.name)) &&
      patterns.matchesGvk(id) &&
      matchesLabels(selector.labelSelector, resource.labels) &&
      matchesLabels(selector.annotationSelector, resource.annotations)
    );
  });
}

/** Whether labels, or annotations, pass a selector as kubectl takes one. */
export function matchesLabels(selector: string, labels: ReadonlyMap<string, string>): boolean {
  try {
    return parseLabelSelector(selector).matches(Object.fromEntries(labels));
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    throw new KustomizeError(cause.message, { cause });
  }
}
