import type { FlowSchema } from "../../api/flowcontrol/v1/flow-schema.ts";
import { apply } from "../../schema/apply/field-manager.ts";
import type { ReadonlyJsonMap } from "../../schema/json/json-value.ts";
import { apiVersionOf } from "../../schema/language/kind.ts";
import { quote } from "../../schema/values/quote.ts";
import { now } from "../objects/environment.ts";
import type { AnyKind, ApiObject } from "../objects/object.ts";
import { canonical } from "../objects/object.ts";
import { fieldWriter } from "../verbs/patch/field-management.ts";
import type { VerbParts } from "../verbs/verb-parts.ts";

/** Who says whether the priority level of a flow schema exists. */
export const statusManager = "api-priority-and-fairness-config-consumer-v1";

/**
 * The flow schema with a condition that says whether its priority level exists, among those of these
 * names; undefined where it says so already.
 */
export function withDangling(
  parts: VerbParts,
  kind: AnyKind,
  { object, levels }: { readonly object: ApiObject; readonly levels: ReadonlySet<string> },
): ApiObject | undefined {
  const { spec, status, metadata } = object as FlowSchema;
  const level = spec.priorityLevelConfiguration.name;
  const wanted = danglingCondition(level, levels.has(level));
  const found = status?.conditions?.find(({ type }) => type === "Dangling");
  if (found && found.status === wanted.status && found.reason === wanted.reason)
    if (found.message === wanted.message) return undefined;
  const condition = { ...wanted, lastTransitionTime: now(parts.environment) };
  const config = {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { name: metadata.name ?? "" },
    status: { conditions: [condition] },
  };
  const writer = fieldWriter(
    parts,
    { kind, subresource: "status" },
    { fieldManager: statusManager },
  );
  const live = object as unknown as ReadonlyJsonMap;
  return canonical(kind, apply(writer, live, { config, force: true }));
}

const danglingCondition = (level: string, exists: boolean) => {
  const refers = `This FlowSchema references the PriorityLevelConfiguration object named ${quote(level)}`;
  return exists
    ? { type: "Dangling", status: "False", reason: "Found", message: `${refers} and it exists` }
    : {
        type: "Dangling",
        status: "True",
        reason: "NotFound",
        message: `${refers} but there is no such object`,
      };
};
