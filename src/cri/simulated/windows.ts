import { parseMilliseconds } from "./duration-range.ts";

/** Windows of time after a start, in milliseconds: begin (inclusive) and end (exclusive). */
export type Window = readonly [from: number, until: number];

/** Parses `30s-1m, 5m-` or `always`; undefined if it is neither. */
export function parseWindows(text: string): readonly Window[] | undefined {
  if (text === "always") return [[0, Number.POSITIVE_INFINITY]];
  const windows: Window[] = [];
  for (const part of text.split(",")) {
    const [from = "", until, ...more] = part.trim().split("-");
    const begin = parseMilliseconds(from || "0");
    const end = until ? parseMilliseconds(until) : Number.POSITIVE_INFINITY;
    if (begin === undefined || end === undefined || until === undefined || more.length > 0)
      return undefined;
    windows.push([begin, end]);
  }
  return windows;
}

/** Whether a time is in one of the windows. */
export const isWithin = (windows: readonly Window[], ms: number): boolean =>
  windows.some(([from, until]) => from <= ms && ms < until);

/** The next begin or end of a window after a time; infinity if there is none. */
export const nextChange = (windows: readonly Window[], ms: number): number =>
  Math.min(Number.POSITIVE_INFINITY, ...windows.flat().filter((edge) => edge > ms));
