import { duration, type Field } from "../../../schema/language/field.ts";
import type { Fields } from "../../../schema/language/struct.ts";

/** The prefix of the names of all types of the group and version. */
export const typePrefix = "io.k8s.kubelet.config.v1beta1";

/** The runtime endpoint that means the engine in this process. */
export const embeddedEngine = "wherry";

/** A duration that Go holds as a value: zero counts as absent, and is always written. */
export const period = (tag: number): Field<string, "present"> => duration(tag).always();

/** Drops zero durations that have a default: Go cannot tell them from absent ones. */
export function dropZeroPeriods(fields: Fields, draft: Record<string, unknown>): void {
  for (const [name, { type, zero, defaultValue }] of Object.entries(fields)) {
    const isPeriod = type.code === "duration" && zero === "always";
    if (isPeriod && defaultValue !== undefined && draft[name] === "0s") delete draft[name];
  }
}
