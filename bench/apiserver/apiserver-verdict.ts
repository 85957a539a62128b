import { measure } from "../store/store-measure.ts";
import { processorMs, type Server } from "./apiserver-process.ts";

export interface Bound {
  readonly most?: number;
  readonly least?: number;
  readonly unit: string;
}

/** Says whether a value is within its bound; the process fails if it is not. */
export function verdict(what: string, value: number, { most, least, unit }: Bound): void {
  const ok = (most === undefined || value <= most) && (least === undefined || value >= least);
  const bound = most === undefined ? `≥ ${least}` : `≤ ${most}`;
  const shown = unit === "×" ? value.toFixed(2) : Math.round(value).toLocaleString("en");
  console.log(`${what}: ${shown} ${unit} (bound ${bound} ${unit}) ${ok ? "ok" : "MISSED"}`);
  if (!ok) process.exitCode = 1;
}

export interface Comparison {
  readonly own: Contender;
  readonly bare: Contender;
  readonly least: number;
  /** How many are in flight. */
  readonly workers?: number;
  /** How many requests it takes to be warm, where one of them does much. */
  readonly warmUp?: number;
  /** What one of them counts as, if not as one. */
  readonly size?: { readonly of: number; readonly unit: string };
}

/** A server, and what is asked of it. */
export interface Contender {
  readonly server: Server;
  readonly ask: () => Promise<unknown>;
}

/** Short and many: what else the machine does then meets both, or few of them. */
const rounds = 12;
const roundSeconds = 0.4;
/** After so many requests the compiler has seen what there is to see. */
const warmRequests = 6000;
const maxWarmSeconds = 20;

/**
 * Both in turns, once both are warm; the median of the rounds' ratios, and how far they differ. The
 * processor time of the servers tells more where others use the machine, too.
 */
export async function compare(what: string, comparison: Comparison): Promise<void> {
  const { own, bare, least, workers = 32, warmUp = warmRequests } = comparison;
  const { size = { of: 1, unit: "" } } = comparison;
  const load = async ({ server, ask }: Contender, seconds: number): Promise<Round> => {
    let asked = 0;
    const before = processorMs(server);
    const { perSecond } = await measure({ workers, seconds }, () => {
      asked++;
      return ask();
    });
    return { perSecond, asked, micros: ((processorMs(server) - before) * 1000) / asked };
  };
  for (const contender of [bare, own]) {
    const end = performance.now() + maxWarmSeconds * 1000;
    for (let asked = 0; asked < warmUp && performance.now() < end; )
      asked += (await load(contender, 0.5)).asked;
  }
  const mine: Round[] = [];
  const theirs: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    theirs.push(await load(bare, roundSeconds));
    mine.push(await load(own, roundSeconds));
  }
  const show = (all: readonly Round[]): string => {
    const rate = Math.round(rateOf(all) * size.of).toLocaleString("en");
    return `${rate}${size.unit}/s, ${median(all.map(({ micros }) => micros)).toFixed(0)} µs of processor each`;
  };
  const ratios = mine.map(({ perSecond }, i) => perSecond / (theirs[i]?.perSecond ?? 0));
  const range = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
  console.log(`\n${what}: ${show(mine)}`);
  console.log(`bare node:http2 answering the same bytes: ${show(theirs)}; rounds ${range} ×`);
  verdict(what, median(ratios), { least, unit: "×" });
}

interface Round {
  readonly perSecond: number;
  readonly asked: number;
  /** Of the server's processor time, for one request. */
  readonly micros: number;
}

const rateOf = (all: readonly Round[]): number => median(all.map(({ perSecond }) => perSecond));

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** The value that a share of all does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN;
}
