import type { FlowSchema } from "../../api/flowcontrol/v1/flow-schema.ts";
import { quote } from "../../schema/values/quote.ts";

/** The field manager of the condition Dangling of flow schemas. */
export const statusManager = "api-priority-and-fairness-config-consumer-v1";

/**
 * The condition that tells whether the priority level of a flow schema is among those of these names;
 * undefined if the flow schema has it already.
 */
export function danglingCondition(
  { spec, status }: Pick<FlowSchema, "spec" | "status">,
  levels: ReadonlySet<string>,
): { readonly type: string; readonly status: string } | undefined {
  const level = spec.priorityLevelConfiguration.name;
  const wanted = conditionFor(level, levels.has(level));
  const found = status?.conditions?.find(({ type }) => type === "Dangling");
  const isSame =
    found?.status === wanted.status &&
    found.reason === wanted.reason &&
    found.message === wanted.message;
  return isSame ? undefined : wanted;
}

const conditionFor = (level: string, exists: boolean) => {
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
