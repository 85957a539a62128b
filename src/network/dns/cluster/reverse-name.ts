import { type DnsName, isWithin, labelsOf, nameOfLabels, rootName } from "../message/dns-name.ts";

/** The address of a name for which PTR records are, such as `1.0.0.10.in-addr.arpa`, in lower case. */
export function addressOfReverseName(name: DnsName): Uint8Array | undefined {
  for (const { zone, labels: count, radix, bytes } of reverseZones) {
    if (!isWithin(name, zone)) continue;
    const labels = labelsOf(name).slice(0, -2).reverse();
    if (labels.length !== count) return undefined;
    const values = labels.map((label) => digitOf(label, radix));
    if (values.some((value) => value === undefined)) return undefined;
    const digits = values as readonly number[];
    return bytes(digits);
  }
  return undefined;
}

function digitOf(label: string, radix: number): number | undefined {
  if (radix === 16) return /^[0-9a-f]$/.test(label) ? Number.parseInt(label, 16) : undefined;
  if (!/^(?:0|[1-9][0-9]{0,2})$/.test(label)) return undefined;
  const value = Number(label);
  return value > 255 ? undefined : value;
}

const arpa = (label: string): DnsName => nameOfLabels([label, "arpa"]) ?? rootName;

const reverseZones = [
  {
    ...{ zone: arpa("in-addr"), labels: 4, radix: 10 },
    bytes: (values: readonly number[]) => Uint8Array.from(values),
  },
  {
    ...{ zone: arpa("ip6"), labels: 32, radix: 16 },
    bytes: (values: readonly number[]) =>
      Uint8Array.from(
        { length: 16 },
        (_, i) => (values[2 * i] ?? 0) * 16 + (values[2 * i + 1] ?? 0),
      ),
  },
] as const;
