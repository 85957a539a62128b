/** The integer that a text in decimal is; undefined for any other text, and for what is too large to count. */
export function parseInteger(text: string): number | undefined {
  const value = Number(text);
  return /^[+-]?\d+$/.test(text) && Number.isSafeInteger(value) ? value : undefined;
}
