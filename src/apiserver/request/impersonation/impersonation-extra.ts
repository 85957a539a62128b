import { At } from "../../../schema/language/report.ts";
import { isDomainPrefixedPath } from "../../../schema/values/names.ts";
import { quote } from "../../../schema/values/quote.ts";
import { errorText } from "../../authorization/authorizer.ts";
import type { User } from "../identity.ts";

/** Why a constrained mode rejects the extra attributes of a user; undefined if it accepts them. */
export function extraFault(extra: NonNullable<User["extra"]>): string | undefined {
  for (const [key, values] of Object.entries(extra)) {
    const fault = keyFault(key) ?? (values.includes("") ? emptyValue : undefined);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

const emptyValue = "impersonating the empty string value in extra is not allowed";

function keyFault(key: string): string | undefined {
  if (key === "") return "impersonating the empty string key in extra is not allowed";
  const at = At.root();
  for (const { value, detail } of isDomainPrefixedPath(key)) at.invalid("extra.key", value, detail);
  if (at.errors.length > 0) {
    const faults = at.errors.map(({ field, message }) => `${field}: ${message}`);
    return `impersonating an invalid key in extra is not allowed: ${errorText(faults)}`;
  }
  if (key !== key.toLowerCase())
    return `impersonating a non-lowercase key in extra is not allowed: ${quote(key)}`;
  return undefined;
}
