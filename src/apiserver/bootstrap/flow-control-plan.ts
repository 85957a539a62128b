import {
  mandatoryFlowSchemas,
  mandatoryPriorityLevels,
} from "../../api/flowcontrol/v1/mandatory.ts";
import { sameValue } from "../../schema/language/validate.ts";
import type { ApiObject } from "../objects/object.ts";
import { suggestedFlowSchemas, suggestedPriorityLevels } from "./flow-control-defaults.ts";

/** By which an object says whether the server keeps its spec as it should be. */
export const autoUpdateKey = "apf.kubernetes.io/autoupdate-spec";

/** An object of flow control that every cluster has. */
export interface FlowControlDefault {
  readonly object: ApiObject;
  /** Whether it is put right whatever its annotation says. */
  readonly isMandatory: boolean;
}

/** All of them, in the order in which they are made. */
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

/** The object as it should be; undefined where it is, or its spec is left to its owner. */
export function revisedFlowControl(
  current: ApiObject,
  { object, isMandatory }: FlowControlDefault,
): ApiObject | undefined {
  const isKept = isMandatory || keepsSpec(current);
  const annotation = current.metadata.annotations?.[autoUpdateKey];
  const annotated = annotation !== undefined && parseBool(annotation) === isKept;
  const sameSpec = !isKept || isEqualish(object, current);
  if (annotated && sameSpec) return undefined;
  const annotations = annotated
    ? current.metadata.annotations
    : { ...current.metadata.annotations, [autoUpdateKey]: String(isKept) };
  const metadata = { ...current.metadata, annotations };
  return { ...current, metadata, spec: sameSpec ? current.spec : object.spec };
}

/** Whether an object that is no default is one that was, of another version: the server keeps it no more. */
export const isFormerDefault = ({ metadata }: ApiObject): boolean =>
  parseBool(metadata.annotations?.[autoUpdateKey] ?? "") === true;

/** What nobody has ever changed is kept, too. */
function keepsSpec({ metadata }: ApiObject): boolean {
  const { annotations, generation } = metadata;
  return parseBool(annotations?.[autoUpdateKey] ?? "") ?? generation === 1;
}

/** How the exempt level shares is its owner's business. */
function isEqualish({ metadata, kind, spec }: ApiObject, current: ApiObject): boolean {
  if (kind !== "PriorityLevelConfiguration" || metadata.name !== "exempt")
    return sameValue(spec, current.spec);
  const { exempt } = current.spec as { readonly exempt?: object };
  return exempt !== undefined && sameValue({ ...(spec as object), exempt }, current.spec);
}

/** As Go reads truth values. */
function parseBool(text: string): boolean | undefined {
  if (["1", "t", "T", "TRUE", "true", "True"].includes(text)) return true;
  if (["0", "f", "F", "FALSE", "false", "False"].includes(text)) return false;
  return undefined;
}
