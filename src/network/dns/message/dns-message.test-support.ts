import type { DnsMessage } from "./dns-message.ts";
import { type DnsName, parseName } from "./dns-name.ts";

/** The name of a text, which must be one. */
export function nameIn(text: string): DnsName {
  const name = parseName(text);
  if (name === undefined) throw new Error(`${text} is not a name`);
  return name;
}

/** A query for a name. */
export const queryOf = (
  name: string,
  type: number,
  more: Partial<DnsMessage> = {},
): DnsMessage => ({
  id: 4711,
  ...{ isResponse: false, opcode: 0, isAuthoritative: false, isTruncated: false },
  ...{ recursionDesired: true, recursionAvailable: false, authenticData: false },
  ...{ checkingDisabled: false, code: 0 },
  ...{ questions: [{ name: nameIn(name), type, class: 1 }] },
  ...{ answers: [], authorities: [], additionals: [] },
  edns: undefined,
  ...more,
});
