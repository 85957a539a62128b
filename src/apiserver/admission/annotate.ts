import { isQualifiedName } from "../../schema/values/names.ts";
import type { RequestContext } from "../objects/request-context.ts";

/** Adds an annotation to the audit log, unless its key is invalid or taken. */
export function annotate(
  { auditAnnotations }: Pick<RequestContext, "auditAnnotations">,
  key: string,
  value: string,
): void {
  const isValid = key.includes("/") && isQualifiedName(key).length === 0;
  if (isValid && auditAnnotations?.has(key) === false) auditAnnotations.set(key, value);
}
