import { quote } from "../../schema/values/quote.ts";

/** The CPUs of a list in the notation of Linux (`0-3,8`); throws an Error in Go's words. */
export function parseCpuSet(text: string): ReadonlySet<number> {
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
