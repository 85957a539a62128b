/** Several faults as one text, as Go joins them: each once, in brackets where there is more than one. */
export function faultList(faults: readonly string[]): string {
  const distinct = [...new Set(faults)];
  return distinct.length === 1 ? (distinct[0] ?? "") : `[${distinct.join(", ")}]`;
}
