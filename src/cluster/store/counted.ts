/** Formats a count with its noun: `1 key`, `2 keys`. */
export const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`;
