/** The seconds east of Greenwich of a zone at a time; undefined if there is no such zone. */
export function offsetOfZone(zone: string, seconds: number): number | undefined {
  if (zone === "" || zone === "UTC" || zone === "Local") return 0;
  const format = formatOf(zone);
  if (format === undefined) return undefined;
  const shown = format
    .formatToParts(seconds * 1000)
    .find(({ type }) => type === "timeZoneName")?.value;
  const [, sign, hours = "0", minutes = "0", rest = "0"] =
    /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(shown ?? "") ?? [];
  const east = Number(hours) * 3600 + Number(minutes) * 60 + Number(rest);
  return sign === "-" ? -east : east;
}

const formats = new Map<string, Intl.DateTimeFormat | undefined>();
const mostFormats = 100;

function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  if (formats.has(zone)) return formats.get(zone);
  const format = newFormat(zone);
  if (formats.size >= mostFormats) formats.clear();
  formats.set(zone, format);
  return format;
}

/** Zones have names of the tz database, as they are written there. */
function newFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  if (!/^[A-Z][A-Za-z0-9_+/-]*$/.test(timeZone)) return undefined;
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  } catch {
    return undefined;
  }
}
