import { processorMs, type Server } from "./apiserver-process.ts";
import { measure } from "./store-measure.ts";

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
  /** What one of them counts as, if not as one. */
  readonly size?: { readonly of: number; readonly unit: string };
}

/** A server, and what is asked of it. */
export interface Contender {
  readonly server: Server;
  readonly ask: () => Promise<unknown>;
}

const rounds = 7;

/**
 * Both in turns, once both are warm; the ratio of the medians, and how far rounds differ. The
 * processor time of the servers tells more where others use the machine, too.
 */
export async function compare(what: string, comparison: Comparison): Promise<void> {
  const { own, bare, least, workers = 32, size = { of: 1, unit: "" } } = comparison;
  const load = async ({ server, ask }: Contender, seconds: number): Promise<Round> => {
    let asked = 0;
    const before = processorMs(server);
    const { perSecond } = await measure({ workers, seconds }, () => {
      asked++;
      return ask();
    });
    return { perSecond, micros: ((processorMs(server) - before) * 1000) / asked };
  };
  await load(bare, 1.5);
  await load(own, 4);
  const mine: Round[] = [];
  const theirs: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    theirs.push(await load(bare, 0.8));
    mine.push(await load(own, 0.8));
  }
  const show = (all: readonly Round[]): string => {
    const rate = Math.round(rateOf(all) * size.of).toLocaleString("en");
    return `${rate}${size.unit}/s, ${median(all.map(({ micros }) => micros)).toFixed(0)} µs of processor each`;
  };
  const ratios = mine.map(({ perSecond }, i) => perSecond / (theirs[i]?.perSecond ?? 0));
  const range = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
  console.log(`\n${what}: ${show(mine)}`);
  console.log(`bare node:http2 answering the same bytes: ${show(theirs)}; rounds ${range} ×`);
  verdict(what, rateOf(mine) / rateOf(theirs), { least, unit: "×" });
}

interface Round {
  readonly perSecond: number;
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
