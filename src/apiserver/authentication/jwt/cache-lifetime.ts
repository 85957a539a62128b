import { type HeaderLines, headerOf } from "../../../base/http/http1-message.ts";

const dayMs = 24 * 3_600_000;

/** The milliseconds for which a response may be cached, by its headers; 0 if they do not say. */
export function cacheLifetime(headers: HeaderLines, now: number): number {
  const control = headerOf(headers, "cache-control") ?? "";
  for (const directive of ["s-maxage", "max-age"]) {
    const seconds = new RegExp(`(?:^|,)\\s*${directive}="?(\\d{1,10})`, "i").exec(control)?.[1];
    if (seconds !== undefined) return Number(seconds) * 1000;
  }
  const [expires, date = now, modified] = ["expires", "date", "last-modified"].map((name) => {
    const time = Date.parse(headerOf(headers, name) ?? "");
    return Number.isNaN(time) ? undefined : time;
  });
  if (expires !== undefined) return Math.max(0, expires - date);
  // What has not changed for long is taken not to change soon.
  return modified === undefined ? 0 : Math.min(dayMs, Math.max(0, (now - modified) / 10));
}
