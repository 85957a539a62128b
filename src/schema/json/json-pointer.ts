/** The reference tokens of a JSON pointer (RFC 6901), decoded; `""` has none. */
export function parsePointer(pointer: string): string[] {
  return pointer.split("/").slice(1).map(decodeToken);
}

/** The pointer of a path of member names and indices. */
export function formatPointer(path: readonly (string | number)[]): string {
  return path.map((token) => `/${encodeToken(`${token}`)}`).join("");
}

/** The value a pointer refers to; undefined if there is none. */
export function resolvePointer(document: unknown, pointer: string): unknown {
  let value = document;
  for (const token of parsePointer(pointer)) {
    if (Array.isArray(value))
      value = /^(0|[1-9][0-9]*)$/.test(token) ? value[Number(token)] : undefined;
    else value = memberOf(value, token);
    if (value === undefined) return undefined;
  }
  return value;
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

function decodeToken(token: string): string {
  if (!token.includes("~")) return token;
  return token.replace(/~[01]/g, (found) => (found === "~1" ? "/" : "~"));
}

function encodeToken(token: string): string {
  return token.replaceAll("~", "~0").replaceAll("/", "~1");
}
