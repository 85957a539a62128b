import { badRequest } from "../http/docker-error.ts";
import type { Filters } from "../http/filters.ts";

/** The time before which things are pruned that the filter `until` means: a time, or a duration such as `10m`. */
export function pruneLimit(filters: Filters, now: number): number {
  const [until, ...others] = filters.get("until") ?? [];
  if (until === undefined) return Number.POSITIVE_INFINITY;
  if (others.length > 0) throw badRequest("more than one until filter specified");
  if (/^[0-9]+(?:\.[0-9]+)?$/.test(until)) return Number(until) * 1000;
  const parts = [...until.matchAll(/([0-9]+(?:\.[0-9]+)?)(h|m|s|ms)/g)];
  if (parts.length > 0 && parts.map(([part]) => part).join("") === until)
    return (
      now -
      parts.reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit ?? ""] ?? 0), 0)
    );
  const time = Date.parse(until);
  if (Number.isNaN(time)) throw badRequest(`invalid value for "until": ${until}`);
  return time;
}

const units: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 };
