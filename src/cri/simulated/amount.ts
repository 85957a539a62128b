/** Parses a quantity (`250m`, `64Mi`, `1.5G`); undefined if it is invalid. */
export function parseAmount(text: string): number | undefined {
  const [, number, suffix = ""] = /^(\d+(?:\.\d+)?)(m|k|[MGT]|[KMGT]i)?$/.exec(text.trim()) ?? [];
  return number === undefined ? undefined : Number(number) * (suffixes[suffix] ?? 1);
}

const suffixes: Readonly<Record<string, number>> = {
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};
