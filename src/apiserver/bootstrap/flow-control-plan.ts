import {
  mandatoryFlowSchemas,
  mandatoryPriorityLevels,
} from "../../api/flowcontrol/v1/mandatory.ts";
import { sameValue } from "../../schema/language/validate.ts";
import type { ApiObject } from "../objects/object.ts";
import { suggestedFlowSchemas, suggestedPriorityLevels } from "./flow-control-defaults.ts";

/** The annotation that tells whether the server resets the spec of an object. */
export const autoUpdateKey = "apf.kubernetes.io/autoupdate-spec";

/** An object of flow control that every cluster has. */
export interface FlowControlDefault {
  readonly object: ApiObject;
  /** Whether its spec is reset regardless of its annotation. */
  readonly isMandatory: boolean;
}

/** All default objects, in the order in which they are created. */
export const flowControlDefaults = (): FlowControlDefault[] => [
  ...defaultsOf("PriorityLevelConfiguration", suggestedPriorityLevels, false),
  ...defaultsOf("FlowSchema", suggestedFlowSchemas, false),
  ...defaultsOf("PriorityLevelConfiguration", mandatoryPriorityLevels, true),
  ...defaultsOf("FlowSchema", mandatoryFlowSchemas, true),
];

function defaultsOf(
  kind: string,
  specs: Readonly<Record<string, object>>,
  isMandatory: boolean,
): FlowControlDefault[] {
  return Object.entries(specs).map(([name, spec]) => ({
    isMandatory,
    object: {
      kind,
      apiVersion: "flowcontrol.apiserver.k8s.io/v1",
      metadata: { name, annotations: { [autoUpdateKey]: "true" } },
      spec,
    },
  }));
}

/** The object with its default spec and annotation; undefined if it needs no change. */
export function revisedFlowControl(
  current: ApiObject,
  { object, isMandatory }: FlowControlDefault,
): ApiObject | undefined {
  const isReset = isMandatory || resetsSpec(current);
  const annotation = current.metadata.annotations?.[autoUpdateKey];
  const annotated = annotation !== undefined && parseBool(annotation) === isReset;
  const sameSpec = !isReset || isEqualish(object, current);
  if (annotated && sameSpec) return undefined;
  const annotations = annotated
    ? current.metadata.annotations
    : { ...current.metadata.annotations, [autoUpdateKey]: String(isReset) };
  const metadata = { ...current.metadata, annotations };
  return { ...current, metadata, spec: sameSpec ? current.spec : object.spec };
}

/** Whether an object was a default of another version of the server, which is then deleted. */
export const isFormerDefault = ({ metadata }: ApiObject): boolean =>
  parseBool(metadata.annotations?.[autoUpdateKey] ?? "") === true;

/** A spec without the annotation is reset if it was never changed. */
function resetsSpec({ metadata }: ApiObject): boolean {
  const { annotations, generation } = metadata;
  return parseBool(annotations?.[autoUpdateKey] ?? "") ?? generation === 1;
}

/** Users may set the shares of the exempt level. */
function isEqualish({ metadata, kind, spec }: ApiObject, current: ApiObject): boolean {
  if (kind !== "PriorityLevelConfiguration" || metadata.name !== "exempt")
    return sameValue(spec, current.spec);
  const { exempt } = current.spec as { readonly exempt?: object };
  return exempt !== undefined && sameValue({ ...(spec as object), exempt }, current.spec);
}

/** Parses a boolean as Go does. */
function parseBool(text: string): boolean | undefined {
  if (["1", "t", "T", "TRUE", "true", "True"].includes(text)) return true;
  if (["0", "f", "F", "FALSE", "false", "False"].includes(text)) return false;
  return undefined;
}
