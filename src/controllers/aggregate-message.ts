/** Several faults in one text, each of them once: that of the only one, or `[one, another]`. */
export function aggregateMessage(messages: readonly string[]): string {
  const all = [...new Set(messages)];
  return all.length === 1 ? (all[0] as string) : `[${all.join(", ")}]`;
}
