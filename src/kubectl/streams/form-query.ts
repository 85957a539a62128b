/** Formats a query as Go does: in the order of names, a blank as a plus sign. What is false or empty is left out. */
export function formQuery(
  parameters: Readonly<Record<string, string | boolean | readonly string[] | undefined>>,
): string {
  return Object.entries(parameters)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, value]) =>
      [value ?? false]
        .flat()
        .filter((one) => one !== false && value !== "")
        .map((one) => `${escaped(name)}=${escaped(String(one))}`),
    )
    .join("&");
}

const escaped = (text: string): string =>
  encodeURIComponent(text)
    .replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll("%20", "+");
