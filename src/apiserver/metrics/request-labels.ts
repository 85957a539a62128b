import type { AnyKind } from "../objects/object.ts";
import type { Query } from "../request/query.ts";
import type { ResourcePath } from "../request/request-info.ts";
import type { RequestState } from "../request/request-state.ts";

/** The labels of a request; their values are limited, whatever clients send. */
export interface RequestLabels {
  readonly verb: string;
  readonly scope: string;
  readonly dryRun: string;
}

/** The labels of a request for a resource. */
export function resourceLabels(
  { request, query }: RequestState,
  path: ResourcePath,
): RequestLabels {
  const scope = scopeOf(request.method, path);
  return { scope, verb: verbOf(request, { path, query, scope }), dryRun: dryRunOf(query) };
}

/** The labels of a request for anything else. */
export const documentLabels = ({ request, query }: RequestState): RequestLabels => ({
  scope: "",
  verb: knownVerbs.has(request.method) ? request.method : request.method === "HEAD" ? "GET" : other,
  dryRun: dryRunOf(query),
});

/** The release in which a deprecated kind is removed, from its warning. */
export const removedIn = ({ deprecated = "" }: Pick<AnyKind, "deprecated">): string =>
  /unavailable in v(\d+\.\d+)/.exec(deprecated)?.[1] ?? "";

const other = "other";

const knownVerbs: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);

const connections: ReadonlySet<string> = new Set(["log", "exec", "portforward", "attach", "proxy"]);

function scopeOf(method: string, { name, namespace }: ResourcePath): string {
  if (name !== "" || method === "POST") return "resource";
  return namespace === "" ? "cluster" : "namespace";
}

function verbOf(
  { method, headers }: RequestState["request"],
  { path, query, scope }: { path: ResourcePath; query: Query; scope: string },
): string {
  if (connections.has(path.subresource)) return "CONNECT";
  if (method === "GET" || method === "HEAD") {
    if (path.watch || (method === "GET" && query.flag("watch"))) return "WATCH";
    return scope === "resource" ? "GET" : "LIST";
  }
  if (method === "PATCH" && headers["content-type"] === "application/apply-patch+yaml")
    return "APPLY";
  return knownVerbs.has(method) ? method : other;
}

function dryRunOf(query: Query): string {
  if (!query.has("dryRun")) return "";
  return query.all("dryRun").every((value) => value === "All") ? "All" : "invalid";
}
