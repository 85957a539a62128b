import { quote } from "../../schema/values/quote.ts";

/** The value of a policy option that is on or off, as Go reads it. Throws if it is neither. */
export function boolOption(option: string, value: string): boolean {
  if (["1", "t", "T", "TRUE", "true", "True"].includes(value)) return true;
  if (["0", "f", "F", "FALSE", "false", "False"].includes(value)) return false;
  throw new Error(
    `bad value for option ${quote(option)}: strconv.ParseBool: parsing ${quote(value)}: invalid syntax`,
  );
}
