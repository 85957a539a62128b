/** Resolves a path relative to another, and removes the segments `.` and `..` as Go does. */
export function resolvePath(base: string, reference: string): string {
  const full =
    reference === ""
      ? base
      : reference.startsWith("/")
        ? reference
        : base.slice(0, base.lastIndexOf("/") + 1) + reference;
  if (full === "") return "";
  const kept: string[] = [];
  const segments = full.split("/");
  for (const segment of segments) {
    if (segment === "..") kept.pop();
    else if (segment !== ".") kept.push(segment);
  }
  if (/^\.\.?$/.test(segments.at(-1) ?? "")) kept.push("");
  // A path begins with a slash, even if `..` removed its first, empty segment.
  if (kept[0] !== "" || kept.length === 1) kept.unshift("");
  return kept.join("/");
}
