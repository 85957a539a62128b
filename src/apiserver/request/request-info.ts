/** What a path leads to: a resource, or one of the server's documents. */
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
  /** The segments after the subresource. */
  readonly rest: readonly string[];
  /** Whether the path begins with `watch/`, as old clients write a watch. */
  readonly watch: boolean;
}

/** The version of a group that a path leads to; empty where there is none. */
export function groupVersionOf(target: RequestTarget): {
  readonly group: string;
  readonly version: string;
} {
  if (target.type === "resource") return target.resource;
  const [, root, first = "", second = ""] = target.path.split("/");
  if (root === "apis") return { group: first, version: second };
  return { group: "", version: root === "api" ? first : "" };
}

/** Parses a path; undefined where an escape in it is malformed. */
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

/** Splits the decoded path, as upstream does: an escaped slash separates segments, too. */
function segmentsOf(path: string): string[] | undefined {
  return decodedPath(path)
    ?.split("/")
    .filter((segment) => segment !== "");
}

/** `namespaces/x` and `namespaces/x/status` name the namespace as an object, which counts as inside itself. */
function namespaceOf(rest: readonly string[]): { namespace: string; rest: readonly string[] } {
  const [first, name = "", third = ""] = rest;
  if (first !== "namespaces") return { namespace: "", rest };
  if (rest.length > 2 && !namespaceSubresources.has(third))
    return { namespace: name, rest: rest.slice(2) };
  return { namespace: name, rest };
}

const namespaceSubresources = new Set(["status", "finalize"]);

/** A path without its escapes; undefined where one is malformed. Bytes that are not UTF-8 are replaced. */
export function decodedPath(path: string): string | undefined {
  if (!path.includes("%")) return path;
  if (/%(?![0-9A-Fa-f]{2})/.test(path)) return undefined;
  try {
    return decodeURIComponent(path);
  } catch {
    return path.replaceAll(/(?:%[0-9A-Fa-f]{2})+/g, (escapes) => {
      const bytes = escapes
        .slice(1)
        .split("%")
        .map((hex) => Number.parseInt(hex, 16));
      return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes));
    });
  }
}
