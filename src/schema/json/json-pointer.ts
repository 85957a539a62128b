/** The reference tokens of a JSON pointer (RFC 6901), decoded; `""` has none. */
export function parsePointer(pointer: string): string[] {
  return pointer.split("/").slice(1).map(decodeToken);
}

function decodeToken(token: string): string {
  if (!token.includes("~")) return token;
  return token.replace(/~[01]/g, (found) => (found === "~1" ? "/" : "~"));
}
