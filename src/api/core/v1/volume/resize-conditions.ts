import type { PersistentVolumeClaimCondition } from "./persistent-volume-claim-status.ts";

/** Nobody probes conditions of claims: that time is always empty. */
type Condition = Omit<PersistentVolumeClaimCondition, "lastProbeTime">;
type Conditions = readonly Condition[];

const ofResize: ReadonlySet<string> = new Set([
  ...["Resizing", "FileSystemResizePending", "ControllerResizeError", "NodeResizeError"],
]);

/** The conditions of a claim that are not about its growth. */
export const withoutResizeConditions = (conditions: Conditions = []): Conditions =>
  conditions.filter(({ type }) => !ofResize.has(type));

/** The conditions of a claim with one more; one that is true already keeps its time and its message. */
export function withTrueCondition(conditions: Conditions = [], condition: Condition): Conditions {
  const known = conditions.find(({ type }) => type === condition.type);
  if (known?.status === "True") return conditions;
  return [...conditions.filter((one) => one !== known), { ...condition, status: "True" }];
}
