import type { Random } from "../../src/base/random.ts";
import { checkHistory } from "../../src/store/linearizability/check-history.ts";
import type { History } from "../../src/store/linearizability/history.ts";
import { recordSources } from "../../src/store/linearizability/record-sources.ts";
import type { Backend } from "./linearizability-backends.ts";

export interface RoundOptions {
  /** Which no round before had. */
  readonly name: string;
  readonly clients: number;
  readonly random: Random;
  readonly ended: () => boolean;
}

export interface RoundResult {
  readonly summary: string;
  /** How many operations ended how. */
  readonly counts: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
}

/** Records one history while the backend is disturbed, and checks it. */
export async function runRound(backend: Backend, options: RoundOptions): Promise<RoundResult> {
  const { name, clients, random } = options;
  let hasFailed = false;
  // Who disturbs may fail, and then nobody ends the round.
  const ended = (): boolean => hasFailed || options.ended();
  let onBegun: (revision: number) => void = () => undefined;
  const begun = new Promise<number>((resolve) => {
    onBegun = resolve;
  });
  const disturbing = backend.disturb?.({ random, ended, begun });
  disturbing?.catch(() => {
    hasFailed = true;
  });
  const { sources, keys } = await backend.prepare(name);
  const history = await recordSources({
    sources,
    keys,
    clients,
    watches: 6,
    random,
    now: () => performance.now(),
    ended,
    pause: backend.pause ?? turn,
    ...(backend.blind !== undefined && { blind: backend.blind }),
    begun: onBegun,
    settled: async () => await disturbing,
    deadline: (work) => withDeadline(work, 60_000),
  });
  const counts = count(history);
  const parts = Object.entries(counts).map(([what, number]) => `${number} ${what}`);
  const problems = checkHistory(history);
  const verdict = problems.length === 0 ? "one thing after the other" : `${problems.length} WRONG`;
  return { summary: `${parts.join(", ")}: ${verdict}`, counts, problems };
}

function count({ operations, watches, log }: History): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { operation } of operations) {
    const what = operation.type === "write" ? operation.outcome.type : operation.type;
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return { ...counts, watches: watches.length, changes: log.batches.length };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function withDeadline<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing came for ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
