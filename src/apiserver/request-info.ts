/** What a path asks for. */
export type RequestTarget =
  | { readonly type: "resource"; readonly resource: ResourcePath }
  | { readonly type: "other"; readonly path: string };

/** The parts of a path to a resource. */
export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly name: string;
  readonly subresource: string;
  /** What follows the subresource. */
  readonly rest: readonly string[];
  /** The old way to watch: a path under `watch/`. */
  readonly watch: boolean;
}

/** Takes a path apart; undefined where it is not well formed (a segment that does not decode). */
export function parsePath(path: string): RequestTarget | undefined {
  const segments = segmentsOf(path);
  if (!segments) return undefined;
  const [prefix] = segments;
  const skip = prefix === "api" ? 2 : prefix === "apis" ? 3 : 0;
  if (skip === 0 || segments.length <= skip) return { type: "other", path };
  const group = prefix === "api" ? "" : (segments[1] ?? "");
  const version = segments[skip - 1] ?? "";
  const inside = segments.slice(skip);
  const watch = inside[0] === "watch" && inside.length > 1;
  const { namespace, rest } = namespaceOf(watch ? inside.slice(1) : inside);
  const [resource = "", name = "", subresource = "", ...more] = rest;
  return {
    type: "resource",
    resource: { group, version, namespace, resource, name, subresource, rest: more, watch },
  };
}

function segmentsOf(path: string): string[] | undefined {
  const segments: string[] = [];
  for (const raw of path.split("/")) {
    if (raw === "") continue;
    const segment = decode(raw);
    if (segment === undefined) return undefined;
    segments.push(segment);
  }
  return segments;
}

/** `namespaces/x` is the namespace itself, in itself; `namespaces/x/status` a subresource of it. */
function namespaceOf(rest: readonly string[]): { namespace: string; rest: readonly string[] } {
  const [first, name = "", third = ""] = rest;
  if (first !== "namespaces") return { namespace: "", rest };
  if (rest.length > 2 && !namespaceSubresources.has(third))
    return { namespace: name, rest: rest.slice(2) };
  return { namespace: name, rest };
}

const namespaceSubresources = new Set(["status", "finalize"]);

/** A slash that was escaped stays a character of its segment: no name holds one. */
function decode(segment: string): string | undefined {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
