/** The integer that a text in decimal is; undefined for any other text, and for what is too large to count. */
export function parseInteger(text: string): number | undefined {
  const value = Number(text);
  return isInteger.test(text) && Number.isSafeInteger(value) ? value : undefined;
}

/** The integer of 64 bits that a text in decimal is; undefined for any other text. */
export function parseInt64(text: string): bigint | undefined {
  if (!isInteger.test(text)) return undefined;
  const value = BigInt(text.replace("+", ""));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

const isInteger = /^[+-]?\d+$/;
