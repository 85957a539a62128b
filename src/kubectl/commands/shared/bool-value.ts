/** A boolean as Go reads it; undefined for any other text. */
export function boolValue(text: string): boolean | undefined {
  if (["1", "t", "T", "true", "TRUE", "True"].includes(text)) return true;
  return ["0", "f", "F", "false", "FALSE", "False"].includes(text) ? false : undefined;
}
