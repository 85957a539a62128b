import { quote } from "../../schema/values/quote.ts";

/** CPUs by their numbers. */
export type CpuSet = ReadonlySet<number>;

/** The CPUs of a list in the notation of Linux (`0-3,8`); throws an Error in Go's words. */
export function parseCpuSet(text: string): CpuSet {
  const cpus = new Set<number>();
  if (text === "") return cpus;
  for (const range of text.split(",")) {
    const dash = range.indexOf("-");
    const first = cpuNumber(dash < 0 ? range : range.slice(0, dash));
    const last = dash < 0 ? first : cpuNumber(range.slice(dash + 1));
    if (first > last) throw new Error(`invalid range ${quote(range)} (${first} > ${last})`);
    if (last - first > mostCpus)
      throw new Error(`invalid range ${quote(range)}: it has more than ${mostCpus} CPUs`);
    for (let cpu = first; cpu <= last; cpu++) cpus.add(cpu);
  }
  return cpus;
}

/** More than any machine has: the set is held in memory. */
const mostCpus = 65_536;

function cpuNumber(text: string): number {
  const problem = (what: string) => new Error(`strconv.Atoi: parsing ${quote(text)}: ${what}`);
  if (!/^[-+]?\d+$/.test(text)) throw problem("invalid syntax");
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw problem("value out of range");
  return value;
}

/** The list of CPUs in the notation of Linux. */
export function formatCpuSet(cpus: Iterable<number>): string {
  const ranges: { readonly first: number; last: number }[] = [];
  for (const cpu of [...new Set(cpus)].sort((a, b) => a - b)) {
    const range = ranges.at(-1);
    if (range && range.last + 1 === cpu) range.last = cpu;
    else ranges.push({ first: cpu, last: cpu });
  }
  return ranges
    .map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`))
    .join(",");
}

/** The CPUs of all sets. */
export const allCpusOf = (...sets: readonly Iterable<number>[]): CpuSet =>
  new Set(sets.flatMap((set) => [...set]));

/** The CPUs of a set that another one does not have. */
export const cpusWithout = (cpus: CpuSet, others: CpuSet): CpuSet =>
  new Set([...cpus].filter((cpu) => !others.has(cpu)));

/** The CPUs that two sets have in common. */
export const commonCpus = (cpus: CpuSet, others: CpuSet): CpuSet =>
  new Set([...cpus].filter((cpu) => others.has(cpu)));
