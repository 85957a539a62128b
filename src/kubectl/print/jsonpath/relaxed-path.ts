/** A path as users may write it, `metadata.name`, `.metadata.name` or `{metadata.name}`, in braces and with its dot. */
export function relaxedPath(path: string): string {
  if (path === "") return path;
  const [, inBraces, bare] = /^\{\.?([^{}]+)\}$|^\.?([^{}]+)$/.exec(path) ?? [];
  const field = inBraces ?? bare;
  if (field === undefined)
    throw new SyntaxError(
      "unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'",
    );
  return `{.${field}}`;
}
