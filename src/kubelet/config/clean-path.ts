/** The shortest equal path, as Go's filepath.Clean writes it. */
export function cleanPath(path: string): string {
  const isAbsolute = path.startsWith("/");
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (!isAbsolute) parts.push(part);
  }
  const joined = parts.join("/");
  return isAbsolute ? `/${joined}` : joined || ".";
}
