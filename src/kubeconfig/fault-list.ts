/** Joins errors as Go does: each once, in brackets if there are several. */
export function faultList(faults: readonly string[]): string {
  const distinct = [...new Set(faults)];
  return distinct.length === 1 ? (distinct[0] ?? "") : `[${distinct.join(", ")}]`;
}
