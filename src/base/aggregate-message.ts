/** Several messages as one text, without duplicates: a single message alone, others as `[one, another]`. */
export function aggregateMessage(messages: readonly string[]): string {
  const all = [...new Set(messages)];
  return all.length === 1 ? (all[0] as string) : `[${all.join(", ")}]`;
}
