import type { Draft } from "../../../schema/language/struct.ts";
import type { PodGroupSpec } from "./pod-group-spec.ts";

/** What belongs to features that are off, in a group or in a template of one. */
const disabled = [
  "schedulingConstraints",
  "resourceClaims",
  "disruptionMode",
  "priorityClassName",
  "priority",
] as const;
type Gated = Draft<Pick<PodGroupSpec, (typeof disabled)[number]>>;

/** Drops what belongs to features that are off, unless it is there already. */
export function dropDisabledFields(
  spec: Partial<Gated>,
  old: Partial<Readonly<Gated>> | undefined,
): void {
  for (const field of disabled) {
    const before = old?.[field] ?? undefined;
    const isUsed = Array.isArray(before) ? before.length > 0 : before !== undefined;
    if (!isUsed) delete spec[field];
  }
}
