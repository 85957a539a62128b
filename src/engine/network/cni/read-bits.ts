/** Reads a quantity of bits per second, such as `10M`. Throws if it is none, or not a sensible one. */
export function readBits(text: string): number {
  const [, digits, unit = ""] =
    /^(\+?\d+(?:\.\d*)?|\+?\.\d+)([a-zA-Z]*|[eE][+-]?\d+)$/.exec(text) ?? [];
  const factor = /^[eE][+-]?\d+$/.test(unit) ? Number(`1${unit}`) : factors[unit];
  if (digits === undefined || factor === undefined)
    throw new Error(`invalid bandwidth ${JSON.stringify(text)}`);
  const bits = Math.ceil(Number(digits) * factor);
  if (bits < 1e3) throw new Error("resource is unreasonably small (< 1kbit)");
  if (bits > 1e15) throw new Error("resource is unreasonably large (> 1Pbit)");
  return bits;
}

const factors: Readonly<Record<string, number>> = {
  ...{ n: 1e-9, u: 1e-6, m: 1e-3, "": 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 },
  ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 },
};
