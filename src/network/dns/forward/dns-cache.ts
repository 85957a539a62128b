import { recordTypes, responseCodes } from "../message/dns-codes.ts";
import type { DnsMessage, DnsQuestion, DnsRecord } from "../message/dns-message.ts";
import { foldCase } from "../message/dns-name.ts";

/** What a name server answered, without what belongs to one query. */
export type DnsAnswer = Pick<
  DnsMessage,
  "code" | "answers" | "authorities" | "additionals" | "authenticData"
>;

/** What tells answers to the same question from each other. */
export interface AnswerKind {
  readonly dnssecOk: boolean;
  readonly checkingDisabled: boolean;
}

export interface DnsCacheOptions {
  /** Monotonic milliseconds. */
  readonly ticks: () => number;
  readonly maxEntries?: number;
  readonly maxBytes?: number;
}

/** Answers of name servers for as long as they may be kept, bounded in number and memory; the least used go first. */
export class DnsCache {
  readonly #ticks: () => number;
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  /** In the order of their use. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor({ ticks, maxEntries = 10_000, maxBytes = 8 << 20 }: DnsCacheOptions) {
    this.#ticks = ticks;
    this.#maxEntries = maxEntries;
    this.#maxBytes = maxBytes;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The answer to a question, with what is left of its time, and the name as it was asked. */
  get(question: DnsQuestion, kind: AnswerKind): DnsAnswer | undefined {
    const key = keyOf(question, kind);
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    const age = Math.floor((this.#ticks() - entry.at) / 1000);
    if (age >= entry.seconds) {
      this.#remove(key, entry);
      return undefined;
    }
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const { answer, seconds } = entry;
    const asked = foldCase(question.name);
    const aged = (records: readonly DnsRecord[]): readonly DnsRecord[] =>
      records.map((record) => ({
        ...record,
        name: foldCase(record.name) === asked ? question.name : record.name,
        ttl: Math.max(0, Math.min(record.ttl, seconds) - age),
      }));
    return {
      ...answer,
      answers: aged(answer.answers),
      authorities: aged(answer.authorities),
      additionals: aged(answer.additionals),
    };
  }

  set(question: DnsQuestion, kind: AnswerKind, answer: DnsAnswer): void {
    const key = keyOf(question, kind);
    const before = this.#entries.get(key);
    if (before) this.#remove(key, before);
    const seconds = cacheSeconds(answer);
    const bytes = bytesOf(key, answer);
    if (seconds <= 0 || bytes > this.#maxBytes) return;
    this.#entries.set(key, { answer, seconds, bytes, at: this.#ticks() });
    this.#bytes += bytes;
    for (const [oldest, entry] of this.#entries) {
      if (this.#entries.size <= this.#maxEntries && this.#bytes <= this.#maxBytes) break;
      this.#remove(oldest, entry);
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  #remove(key: string, { bytes }: Entry): void {
    this.#entries.delete(key);
    this.#bytes -= bytes;
  }
}

interface Entry {
  readonly answer: DnsAnswer;
  /** When it was stored. */
  readonly at: number;
  readonly seconds: number;
  readonly bytes: number;
}

/** No answer is kept longer, as in clusters of kubeadm. */
const longestSeconds = 30;
/** How long a name server that failed is believed to fail. */
const failureSeconds = 5;

/**
 * How long an answer may be kept: as long as all of its records; one that says that there is nothing, as its SOA says;
 * without one, it is not kept.
 */
export function cacheSeconds({ code, answers, authorities }: DnsAnswer): number {
  if (code === responseCodes.SERVFAIL) return failureSeconds;
  if (code !== responseCodes.NOERROR && code !== responseCodes.NXDOMAIN) return 0;
  if (code === responseCodes.NOERROR && answers.length > 0)
    return Math.min(longestSeconds, ...[...answers, ...authorities].map(({ ttl }) => ttl));
  const soa = authorities.find(({ type }) => type === recordTypes.SOA);
  if (!soa || soa.data.length < 4) return 0;
  const { buffer, byteOffset, byteLength } = soa.data;
  const minimum = new DataView(buffer, byteOffset, byteLength).getUint32(byteLength - 4);
  return Math.min(longestSeconds, soa.ttl, minimum, ...answers.map(({ ttl }) => ttl));
}

/** The key of a question, by which queries in flight are shared, too. */
export const keyOf = (
  { name, type, class: ofClass }: DnsQuestion,
  { dnssecOk, checkingDisabled }: AnswerKind,
): string => `${type} ${ofClass} ${dnssecOk} ${checkingDisabled} ${foldCase(name)}`;

/** An estimate of the memory of an entry. */
function bytesOf(key: string, { answers, authorities, additionals }: DnsAnswer): number {
  const records = [...answers, ...authorities, ...additionals];
  return records.reduce(
    (sum, { name, data }) => sum + 200 + name.length + data.length,
    300 + key.length,
  );
}
