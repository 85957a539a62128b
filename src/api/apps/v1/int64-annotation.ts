import { quote } from "../../../schema/values/quote.ts";
import { badRequest } from "../../meta/v1/status-error.ts";

/** What an annotation holds for a former field of a kind; `context` begins what is told of one that is no number. */
export interface Int64Annotation {
  readonly kind: string;
  readonly text: string;
  readonly context?: string;
}

/** The integer of 64 bits that such an annotation is; what is none makes its object unreadable. */
export function int64Annotation({ kind, text, context = "" }: Int64Annotation): bigint {
  const unreadable = (why: string) =>
    badRequest(
      `${kind} in version "v1" cannot be handled as a ${kind}: ${context}strconv.ParseInt: parsing ${quote(text)}: ${why}`,
    );
  if (!/^[+-]?[0-9]+$/.test(text)) throw unreadable("invalid syntax");
  const value = BigInt(text.replace(/^\+/, ""));
  if (BigInt.asIntN(64, value) !== value) throw unreadable("value out of range");
  return value;
}
