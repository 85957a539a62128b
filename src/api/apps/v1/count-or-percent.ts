import type { At } from "../../../schema/language/report.ts";
import { type IntOrString, intValue, percentValue } from "../../../schema/values/int-or-string.ts";
import { isValidPercent } from "../../../schema/values/names.ts";

/** A number of pods that is not negative, or a share of them in per cent. */
export function validateCountOrPercent(field: string, value: IntOrString, at: At): void {
  if (typeof value === "string") at.invalidEach(field, value, isValidPercent(value));
  else if (value < 0) at.invalid(field, value, "must be greater than or equal to 0");
}

/** A share is at most the whole; other values pass. */
export function validateAtMost100Percent(field: string, value: IntOrString, at: At): void {
  if ((percentValue(value) ?? 0) > 100) at.invalid(field, value, "must not be greater than 100%");
}

/** The number that is meant, of pods or per cent; 0 where there is none. */
export const amountOf = (value: IntOrString): number => percentValue(value) ?? intValue(value);
