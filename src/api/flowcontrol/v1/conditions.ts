import type { At } from "../../../schema/language/report.ts";

/** The rules of conditions of this group: each has a type, and none comes twice. */
export function validateConditionTypes(
  conditions: readonly { readonly type?: string | undefined }[] | undefined,
  at: At,
): void {
  const types = new Set<string>();
  for (const [i, { type = "" }] of (conditions ?? []).entries()) {
    if (types.has(type)) at.index(i).duplicate("type", type);
    types.add(type);
    if (type === "") at.index(i).required("type");
  }
}
