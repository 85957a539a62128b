/** The median time of each, in microseconds, measured in turns so that noise hits all alike. */
export function race(subjects: Readonly<Record<string, () => unknown>>): Record<string, number> {
  const rounds = 30;
  const times = new Map<string, number[]>(Object.keys(subjects).map((name) => [name, []]));
  for (const run of Object.values(subjects)) for (let i = 0; i < 3000; i++) run();
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of Object.entries(subjects)) {
      const count = 400;
      const start = performance.now();
      for (let i = 0; i < count; i++) run();
      times.get(name)?.push(((performance.now() - start) * 1000) / count);
    }
  }
  return Object.fromEntries([...times].map(([name, all]) => [name, median(all)]));
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Prints times, and how they are to the first of them. */
export function printRace(results: Readonly<Record<string, number>>): void {
  const [reference = Number.NaN] = Object.values(results);
  for (const [name, micros] of Object.entries(results))
    console.log(
      `  ${name.padEnd(28)} ${micros.toFixed(2).padStart(8)} µs  ${(micros / reference).toFixed(2)} ×`,
    );
}

/** Says whether a ratio is within its bound; the process fails if it is not. */
export function verdict(what: string, ratio: number, bound: number): void {
  const word = ratio <= bound ? "ok" : "MISSED";
  console.log(`${what}: ${ratio.toFixed(2)} × (bound ${bound} ×) ${word}`);
  if (ratio > bound) process.exitCode = 1;
}
