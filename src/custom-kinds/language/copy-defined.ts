/** A copy of plain data without the members that are undefined: absent stays absent. */
export function copyDefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyDefined);
  if (typeof value !== "object" || value === null) return value;
  const defined = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(defined.map(([name, member]) => [name, copyDefined(member)]));
}
