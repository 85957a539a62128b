import { invalid, StatusError } from "../../../api/meta/v1/status-error.ts";
import type { JsonNode } from "../../../schema/json/strict-json.ts";
import { At } from "../../../schema/language/report.ts";
import type { WriteOptions } from "../../request/query.ts";

/** Go's error for a patch that is not an object; undefined if it is one, or null. */
export function notAMap({ kind }: JsonNode): string | undefined {
  if (kind === "object" || kind === "null") return undefined;
  const name = kind === "boolean" ? "bool" : kind;
  return `json: cannot unmarshal ${name} into Go value of type map[string]interface {}`;
}

/** The error for a patch that cannot be applied to the object. As upstream's, it gives no reason. */
export const cannotApply = (cause: unknown): StatusError =>
  new StatusError("Invalid", "the server rejected our request due to an error in our request", {
    details: {},
    cause,
  });

/** A patch that leads to something that is no object of the kind. */
export function wrongPatch(shown: string, why: string): StatusError {
  const at = At.root();
  at.invalid("patch", shown, why);
  return invalid({ group: "", resource: "", name: "" }, at.errors);
}

/** Rejects, warns of or ignores repeated and unknown fields, as the client requested. */
export function mindStrict(
  faults: readonly string[],
  shown: () => string,
  context: {
    readonly fieldValidation: WriteOptions["fieldValidation"];
    readonly warnings: string[];
  },
): void {
  if (faults.length === 0) return;
  if (context.fieldValidation === "Warn") context.warnings.push(...faults);
  if (context.fieldValidation === "Strict")
    throw wrongPatch(shown(), `strict decoding error: ${faults.join(", ")}`);
}
