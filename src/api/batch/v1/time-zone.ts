/** Finds what is wrong with the name of a time zone, in Go's words; undefined: nothing. */
export function timeZoneFault(name: string): string | undefined {
  if (name === "" || name === "UTC" || name === "Local") return undefined;
  if (name.includes("..") || name.startsWith("/") || name.startsWith("\\"))
    return "time: invalid location name";
  return isKnown(name) ? undefined : `unknown time zone ${name}`;
}

/** Whether the time zone database has a zone or a link of this name, to the letter. */
function isKnown(name: string): boolean {
  // The platform also takes offsets, and names in any case.
  if (!/^[A-Z]/.test(name)) return false;
  const found = zoneOf(name);
  return found !== undefined && (found === name || found.toLowerCase() !== name.toLowerCase());
}

function zoneOf(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
