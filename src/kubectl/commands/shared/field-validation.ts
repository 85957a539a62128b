import { stringFlag } from "../../../cli/flag.ts";
import { quote } from "../../../schema/values/quote.ts";
import { boolValue } from "./bool-value.ts";

export type FieldValidation = "Strict" | "Warn" | "Ignore";

export const validateFlags = {
  validate: {
    ...stringFlag({
      default: "strict",
      usage:
        'Must be one of: strict (or true), warn, ignore (or false). With "strict", the server rejects unknown and duplicate fields; with "warn", it warns of them; with "ignore", it drops them silently.',
    }),
    implied: "strict",
  },
};

/** What `--validate` says, as the server calls it. */
export function fieldValidation({ validate }: { readonly validate: string }): FieldValidation {
  const bool = boolValue(validate);
  if (bool !== undefined) return bool ? "Strict" : "Ignore";
  if (validate === "strict") return "Strict";
  if (validate === "warn") return "Warn";
  if (validate === "ignore") return "Ignore";
  throw new Error(
    `invalid - validate option ${quote(validate)}; must be one of: strict (or true), warn, ignore (or false)`,
  );
}
