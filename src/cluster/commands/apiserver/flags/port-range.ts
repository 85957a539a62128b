import { formatPortRange, type PortRange } from "../../../../apiserver/allocation/port-bits.ts";
import { type Flag, valueFlag } from "../../../../cli/flag.ts";
import { quote } from "../../../../schema/values/quote.ts";

/** A flag that takes ports as `30000-32767`, `30000+2767` or `30000`. */
export function portRangeFlag(usage: string, fallback: PortRange): Flag<PortRange> {
  return valueFlag({
    usage,
    type: "portRange",
    default: fallback,
    read: (text) => readPortRange(text) ?? fallback,
    show: formatPortRange,
  });
}

/** Reads a range, in upstream's notation; undefined for an empty one. */
export function readPortRange(text: string): PortRange | undefined {
  const value = text.trim();
  if (value === "") return undefined;
  const hyphen = value.indexOf("-");
  const plus = value.indexOf("+");
  if (hyphen >= 0 && plus >= 0) throw new Error(`unable to parse port range: ${value}`);
  const mark = Math.max(hyphen, plus);
  const first = readPort(mark < 0 ? value : value.slice(0, mark));
  const second = mark < 0 ? first : readPort(value.slice(mark + 1));
  const last = plus >= 0 ? first + second : second;
  if (first > 65535 || last > 65535)
    throw new Error(`the port range cannot be greater than 65535: ${value}`);
  if (last < first) throw new Error(`end port cannot be less than start port: ${value}`);
  return { first, last };
}

function readPort(text: string): number {
  if (!/^[-+]?\d+$/.test(text))
    throw new Error(`strconv.Atoi: parsing ${quote(text)}: invalid syntax`);
  return Number(text);
}
