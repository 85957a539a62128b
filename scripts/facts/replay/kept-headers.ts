const kept = ["content-type", "warning", "retry-after", "location", "www-authenticate", "allow"];

/** The headers that are compared. Several of one name are an array. */
export function keptHeaders(raw: readonly string[]): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (let i = 0; i < raw.length; i += 2) {
    const [name, value] = [(raw[i] ?? "").toLowerCase(), raw[i + 1] ?? ""];
    if (!kept.includes(name)) continue;
    const held = headers[name];
    headers[name] = held === undefined ? value : [held, value].flat();
  }
  return headers;
}
