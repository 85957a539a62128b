import type { Random } from "../../../base/random.ts";
import type { ClusterZone } from "../cluster/cluster-answer.ts";
import { zoneSoa } from "../cluster/cluster-answer.ts";
import type { ClusterRecords } from "../cluster/cluster-records.ts";
import { resolveInCluster } from "../cluster/resolve-in-cluster.ts";
import type { DnsAnswer } from "../forward/dns-cache.ts";
import type { Forwarder } from "../forward/forwarder.ts";
import { udpSize } from "../forward/upstream-query.ts";
import { internetClass, recordTypes, responseCodes } from "../message/dns-codes.ts";
import type { DnsMessage, DnsQuestion, DnsRecord } from "../message/dns-message.ts";

export interface DnsSources {
  readonly records: ClusterRecords;
  readonly zone: ClusterZone;
  /** Whether all records are known: until then, nothing is said to be absent. */
  readonly isSynced: () => boolean;
  readonly forwarder: Pick<Forwarder, "resolve" | "sawLoop">;
  readonly random: Random;
}

/** A response, and whether the cluster itself gave it. */
export interface Answered {
  readonly response: DnsMessage;
  readonly isOfCluster: boolean;
}

/** Answers a query. What the cluster knows is answered at once, in the same turn. */
export function answerQuery(query: DnsMessage, sources: DnsSources): Answered | Promise<Answered> {
  const [question] = query.questions;
  const code = fault(query);
  if (code !== undefined || !question)
    return { response: responseTo(query, { ...nothing, code: code ?? 0 }), isOfCluster: false };
  if (sources.forwarder.sawLoop(question))
    return {
      response: responseTo(query, { ...nothing, code: responseCodes.REFUSED }),
      isOfCluster: false,
    };
  const known = fromCluster(question, sources);
  if (known.type === "answer") return respond(query, known.answer, { sources, isOfCluster: true });
  return resolveElsewhere(query, known, sources);
}

/** The response to a query that is no valid one, or asks for what nobody gets. */
function fault({ opcode, questions, edns }: DnsMessage): number | undefined {
  const { FORMERR, NOTIMP, REFUSED, BADVERS } = responseCodes;
  if (opcode !== 0) return NOTIMP;
  const [question] = questions;
  if (questions.length !== 1 || !question) return FORMERR;
  if (edns && edns.version > 0) return BADVERS;
  const { type, class: ofClass } = question;
  if (type === recordTypes.OPT) return FORMERR;
  const isTransfer = type === recordTypes.AXFR || type === recordTypes.IXFR;
  return ofClass !== internetClass || isTransfer ? REFUSED : undefined;
}

type Found =
  | { readonly type: "answer"; readonly answer: DnsAnswer }
  /** The rest is for others to resolve: a question, after aliases that led there. */
  | {
      readonly type: "elsewhere";
      readonly question: DnsQuestion;
      readonly before: readonly DnsRecord[];
    };

/** The most aliases that are followed within the cluster. */
const mostAliases = 8;

function fromCluster(asked: DnsQuestion, { records, zone, isSynced }: DnsSources): Found {
  const before: DnsRecord[] = [];
  let question = asked;
  for (;;) {
    const found = resolveInCluster(question, records, zone);
    switch (found.type) {
      case "elsewhere":
        return { type: "elsewhere", question, before };
      case "records":
        return answered({
          answers: [...before, ...found.answers],
          additionals: found.additionals ?? [],
        });
      case "alias":
        before.push(...found.answers);
        if (asked.type === recordTypes.CNAME) return answered({ answers: before });
        if (before.length > mostAliases) return answered({ code: responseCodes.SERVFAIL });
        question = { ...question, name: found.target };
        break;
      default: {
        if (!isSynced()) return answered({ code: responseCodes.SERVFAIL });
        const code = found.type === "no name" ? responseCodes.NXDOMAIN : responseCodes.NOERROR;
        return answered({ code, answers: before, authorities: [zoneSoa(records, zone)] });
      }
    }
  }
}

const nothing: DnsAnswer = {
  ...{ code: 0, answers: [], authorities: [], additionals: [], authenticData: false },
};

const answered = (answer: Partial<DnsAnswer>): Found => ({
  type: "answer",
  answer: { ...nothing, ...answer },
});

async function resolveElsewhere(
  query: DnsMessage,
  { question, before }: Extract<Found, { readonly type: "elsewhere" }>,
  sources: DnsSources,
): Promise<Answered> {
  const { checkingDisabled, edns } = query;
  const kind = { checkingDisabled, dnssecOk: edns?.dnssecOk ?? false };
  const answer = await sources.forwarder.resolve(question, kind);
  const whole = { ...answer, answers: [...before, ...answer.answers] };
  return respond(query, whole, { sources, isOfCluster: before.length > 0 });
}

function respond(
  query: DnsMessage,
  answer: DnsAnswer,
  {
    sources: { random },
    isOfCluster,
  }: { readonly sources: DnsSources; readonly isOfCluster: boolean },
): Answered {
  const response = responseTo(query, { ...answer, answers: shuffled(answer.answers, random) });
  return { response: { ...response, isAuthoritative: isOfCluster }, isOfCluster };
}

const responseTo = (query: DnsMessage, answer: DnsAnswer): DnsMessage => ({
  ...query,
  ...{ isResponse: true, isAuthoritative: false, isTruncated: false, recursionAvailable: true },
  ...answer,
  questions: query.questions.slice(0, 1),
  edns: query.edns && { size: udpSize, version: 0, dnssecOk: query.edns.dnssecOk },
});

/** Puts addresses in a random order, so that clients spread; aliases stay before them. */
function shuffled(records: readonly DnsRecord[], random: Random): readonly DnsRecord[] {
  if (records.length < 2) return records;
  const order = [...records];
  const places = order.flatMap(({ type }, i) =>
    type === recordTypes.A || type === recordTypes.AAAA ? [i] : [],
  );
  for (let i = places.length - 1; i > 0; i--) {
    const a = places[i] ?? 0;
    const b = places[Math.floor(random.next() * (i + 1))] ?? 0;
    const one = order[a];
    const other = order[b];
    if (!one || !other) continue;
    order[a] = other;
    order[b] = one;
  }
  return order;
}
