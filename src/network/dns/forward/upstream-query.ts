import { type Clock, withDeadline } from "../../../base/clock.ts";
import type { Random } from "../../../base/random.ts";
import { responseCodes } from "../message/dns-codes.ts";
import type { DnsMessage, DnsQuestion } from "../message/dns-message.ts";
import type { AnswerKind } from "./dns-cache.ts";
import { exchangeMessage, type ServerAddress } from "./exchange-message.ts";

/** The largest message that is not cut into fragments on the way, as name servers have agreed on. */
export const udpSize = 1232;

/** A query with a random id. */
export const queryFor = (
  question: DnsQuestion,
  { dnssecOk, checkingDisabled }: AnswerKind,
  random: Random,
): DnsMessage => ({
  id: Math.floor(random.next() * 0x10000),
  ...{ isResponse: false, opcode: 0, isAuthoritative: false, isTruncated: false },
  ...{ recursionDesired: true, recursionAvailable: false, authenticData: false },
  ...{ checkingDisabled, code: 0 },
  ...{ questions: [question], answers: [], authorities: [], additionals: [] },
  edns: { size: udpSize, version: 0, dnssecOk },
});

export interface UpstreamExchange {
  readonly query: DnsMessage;
  readonly server: ServerAddress;
  readonly ms: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Sends a query; once more without EDNS to a server that does not know it. */
export const exchangeWithin = ({
  query,
  server,
  ...deadline
}: UpstreamExchange): Promise<DnsMessage> =>
  withDeadline(deadline, async (signal) => {
    const response = await exchangeMessage(query, server, signal);
    if (response.code !== responseCodes.FORMERR || !query.edns) return response;
    return exchangeMessage({ ...query, edns: undefined }, server, signal);
  });
