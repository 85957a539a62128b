import type { Draft } from "../../../schema/language/struct.ts";
import type {
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionStatus,
} from "./custom-resource-definition-spec.ts";

/** The finalizer that holds a definition until its objects are gone. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/** A condition that is to be set. */
export type DefinitionCondition = Omit<
  CustomResourceDefinitionCondition,
  "lastTransitionTime" | "observedGeneration"
>;

type Status = Pick<CustomResourceDefinitionStatus, "conditions">;

export const findCondition = (
  { conditions }: Status,
  type: string,
): CustomResourceDefinitionCondition | undefined =>
  conditions?.find((condition) => condition.type === type);

export const isConditionTrue = (status: Status, type: string): boolean =>
  findCondition(status, type)?.status === "True";

/** Sets a condition, in place; its time is that of the last change of its status. */
export function setCondition(
  status: Draft<Status>,
  condition: DefinitionCondition,
  now: string,
): void {
  const existing = status.conditions?.find(({ type }) => type === condition.type);
  if (!existing) {
    status.conditions = [...(status.conditions ?? []), { ...condition, lastTransitionTime: now }];
    return;
  }
  if (existing.status !== condition.status || !existing.lastTransitionTime)
    existing.lastTransitionTime = now;
  Object.assign(existing, condition);
}
