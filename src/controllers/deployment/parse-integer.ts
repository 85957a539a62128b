/** Parses a decimal integer; undefined for any other text, and for numbers that are too large. */
export function parseInteger(text: string): number | undefined {
  const value = Number(text);
  return isInteger.test(text) && Number.isSafeInteger(value) ? value : undefined;
}

/** Parses a decimal integer of 64 bits; undefined for any other text. */
export function parseInt64(text: string): bigint | undefined {
  if (!isInteger.test(text)) return undefined;
  const value = BigInt(text.replace("+", ""));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

const isInteger = /^[+-]?\d+$/;
