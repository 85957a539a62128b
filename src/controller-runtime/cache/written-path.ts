/** What the path of a request names. */
export interface WrittenPath {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace?: string | undefined;
  /** Undefined for a collection, as in a creation. */
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** Parses a path below `/api` or `/apis`; undefined if it names no objects. */
export function writtenPath(path: string): WrittenPath | undefined {
  const [empty, root, ...rest] = path.split("/").map(decode);
  if (empty !== "" || (root !== "api" && root !== "apis")) return undefined;
  const group = root === "api" ? "" : rest.shift();
  const [version, ...parts] = rest;
  if (group === undefined || version === undefined) return undefined;
  const at = { group, version };
  const [first, namespace, plural, name, ...subresource] = parts;
  if (first !== "namespaces" || plural === undefined || ofNamespace.has(plural)) {
    const [plural, name, ...subresource] = parts;
    return plural ? { ...at, plural, ...named(name, subresource) } : undefined;
  }
  return plural ? { ...at, plural, namespace, ...named(name, subresource) } : undefined;
}

const named = (name: string | undefined, subresource: readonly string[]) => ({
  ...(name && { name }),
  ...(subresource.length > 0 && { subresource: subresource.join("/") }),
});

/** Subresources of a namespace: in this place of a path, other words are resources in the namespace. */
const ofNamespace: ReadonlySet<string> = new Set(["status", "finalize"]);

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
