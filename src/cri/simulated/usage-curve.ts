import { parseAmount } from "./amount.ts";
import { parseMilliseconds } from "./duration-range.ts";

/** How much a container uses over time. */
export interface UsageCurve {
  /** Times in milliseconds, ascending, and amounts; between two points the amount changes evenly. */
  readonly points: readonly Point[];
  /** Whether the time is that of the day (or of the last point's period) since midnight UTC, not since the start. */
  readonly repeats: boolean;
  /** Whether the running pods of an owner share the amount. */
  readonly isShared: boolean;
}

type Point = readonly [at: number, amount: number];

/** Reads `250m`, or points with their times: `0s=100m 8h=2 24h=100m repeat shared`; undefined if it is neither. */
export function parseUsageCurve(text: string): UsageCurve | undefined {
  const amount = parseAmount(text);
  if (amount !== undefined) return { points: [[0, amount]], repeats: false, isShared: false };
  const words = text.trim().split(/\s+/);
  const flags = new Set<string>();
  const points: Point[] = [];
  for (const word of words) {
    if (word === "repeat" || word === "shared") {
      flags.add(word);
      continue;
    }
    const [time = "", value = "", ...more] = word.split("=");
    const at = parseMilliseconds(time);
    const of = parseAmount(value);
    const isLater = at !== undefined && at > (points.at(-1)?.[0] ?? -1);
    if (!isLater || of === undefined || more.length > 0) return undefined;
    points.push([at, of]);
  }
  const repeats = flags.has("repeat");
  const [last] = points.at(-1) ?? [0];
  if (points.length === 0 || (repeats && last === 0)) return undefined;
  return { points, repeats, isShared: flags.has("shared") };
}

/** A time, and what it is measured from; in milliseconds since the epoch. */
export interface CurveTime {
  readonly startedAt: number;
  readonly now: number;
}

/** The amount at a time. */
export const amountAt = (curve: UsageCurve, { startedAt, now }: CurveTime): number =>
  curve.repeats
    ? valueAt(curve.points, now % periodOf(curve))
    : valueAt(curve.points, now - startedAt);

/** The sum of the amount over the time since the start, in amounts × milliseconds. */
export function totalSince(curve: UsageCurve, { startedAt, now }: CurveTime): number {
  const { points, repeats } = curve;
  if (!repeats) return areaUntil(points, now - startedAt);
  const period = periodOf(curve);
  const until = (time: number): number =>
    Math.floor(time / period) * areaUntil(points, period) + areaUntil(points, time % period);
  return until(now) - until(startedAt);
}

const periodOf = ({ points }: UsageCurve): number => points.at(-1)?.[0] ?? 1;

/** Before the first and after the last point the amount does not change. */
function valueAt(points: readonly Point[], at: number): number {
  let [before] = points;
  for (const point of points) {
    if (point[0] > at) return before === undefined ? 0 : between(before, point, at);
    before = point;
  }
  return before?.[1] ?? 0;
}

function between(from: Point, to: Point, at: number): number {
  if (at <= from[0]) return from[1];
  return from[1] + ((to[1] - from[1]) * (at - from[0])) / (to[0] - from[0]);
}

/** The area below the curve from 0 to a time. */
function areaUntil(points: readonly Point[], until: number): number {
  const edges = [0, ...points.map(([at]) => at).filter((at) => at > 0 && at < until), until];
  let area = 0;
  for (const [i, edge] of edges.entries()) {
    const from = edges[i - 1];
    if (from !== undefined)
      area += ((valueAt(points, from) + valueAt(points, edge)) / 2) * (edge - from);
  }
  return area;
}

/** When a container first uses more than a limit, in milliseconds after its start; not told of curves that repeat. */
export function firstAbove({ points, repeats }: UsageCurve, limit: number): number | undefined {
  if (repeats) return undefined;
  let before: Point | undefined;
  for (const point of points) {
    const [at, amount] = point;
    if (amount > limit) {
      if (!before) return 0;
      return before[0] + ((limit - before[1]) * (at - before[0])) / (amount - before[1]);
    }
    before = point;
  }
  return undefined;
}
