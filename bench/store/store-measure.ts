import { performance } from "node:perf_hooks";

export interface Rate {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

export interface Load {
  readonly workers: number;
  readonly seconds: number;
}

/** Runs an operation by so many workers at once, each waiting for its own, after a short warm-up. */
export async function measure(
  load: Load,
  operation: (n: number) => Promise<unknown>,
): Promise<Rate> {
  await run({ workers: load.workers, seconds: Math.min(0.5, load.seconds / 4) }, operation);
  return await run(load, operation);
}

async function run(
  { workers, seconds }: Load,
  operation: (n: number) => Promise<unknown>,
): Promise<Rate> {
  const latencies: number[] = [];
  const start = performance.now();
  const end = start + seconds * 1000;
  let next = 0;
  const work = async (): Promise<void> => {
    for (let before = performance.now(); before < end; ) {
      await operation(next++);
      const after = performance.now();
      latencies.push(after - before);
      before = after;
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  const elapsed = (performance.now() - start) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? 0;
  return { perSecond: latencies.length / elapsed, p50: at(0.5), p99: at(0.99) };
}

export interface Turns extends Load {
  readonly rounds: number;
}

/**
 * Measures several in turn, again and again, and gives the best round of each: what else the machine
 * does can only slow a round down.
 */
export async function measureInTurn<K extends string>(
  { rounds, ...load }: Turns,
  contenders: Readonly<Record<K, (n: number) => Promise<unknown>>>,
): Promise<Record<K, Rate>> {
  const names = Object.keys(contenders) as K[];
  const best: Partial<Record<K, Rate>> = {};
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      const rate = await measure(load, contenders[name]);
      if (rate.perSecond > (best[name]?.perSecond ?? 0)) best[name] = rate;
    }
  }
  return best as Record<K, Rate>;
}

export function show({ perSecond, p50, p99 }: Rate): string {
  const rate = Math.round(perSecond).toLocaleString("en");
  return `${rate.padStart(9)} /s   p50 ${p50.toFixed(3)} ms   p99 ${p99.toFixed(3)} ms`;
}
