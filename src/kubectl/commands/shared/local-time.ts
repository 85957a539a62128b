/** A time as RFC 3339 in the zone of this machine, to the second. */
export function localTime(ms: number): string {
  const offset = -new Date(ms).getTimezoneOffset();
  const local = new Date(ms + offset * 60_000).toISOString().slice(0, 19);
  if (offset === 0) return `${local}Z`;
  const two = (value: number): string => String(value).padStart(2, "0");
  const minutes = Math.abs(offset);
  return `${local}${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
