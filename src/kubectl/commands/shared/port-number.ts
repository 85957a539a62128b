import { quote } from "../../../schema/values/quote.ts";

/** A number as Go reads it, cut to a field of 32 bits. */
export function portNumber(text: string): number {
  if (!/^[-+]?\d+$/.test(text))
    throw new Error(`strconv.Atoi: parsing ${quote(text)}: invalid syntax`);
  const value = BigInt(text.replace(/^\+/, ""));
  if (value !== BigInt.asIntN(64, value))
    throw new Error(`strconv.Atoi: parsing ${quote(text)}: value out of range`);
  return Number(BigInt.asIntN(32, value));
}
