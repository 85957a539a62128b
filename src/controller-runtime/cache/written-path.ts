/** What the path of a call names. */
export interface WrittenPath {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace?: string | undefined;
  /** Undefined for all of them: at a creation, for example. */
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** What a path below `/api` or `/apis` names; undefined where it names no objects. */
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

/** What stands after a namespace's name and is a part of it, not of what it holds. */
const ofNamespace: ReadonlySet<string> = new Set(["status", "finalize"]);

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
