import type { AnyKind } from "../../objects/object.ts";
import { Query } from "../query.ts";
import type { ApiRequest } from "../request.ts";
import { parsePath, type RequestTarget } from "../request-info.ts";

/** Where a request goes, as far as its first line says; and what is found on the way. */
export interface Route {
  readonly request: ApiRequest;
  /** Undefined where the path is not well formed. */
  readonly target: RequestTarget | undefined;
  readonly query: Query;
  /** Whether it goes on for as long as its client likes: no limit of time or number applies. */
  readonly isLongRunning: boolean;
  /** The kind that is served at the path, once it is known to be. */
  kind: AnyKind | undefined;
  /** Whether it took too long, and was answered without waiting for what comes of it. */
  isGivenUp: boolean;
  /** How many seconds ago it came. */
  elapsed(): number;
}

/** Reads the first line of a request; `ticks` are milliseconds of a clock that only goes forward. */
export function routeOf(request: ApiRequest, ticks: () => number): Route {
  const begun = ticks();
  const target = parsePath(request.path);
  const query = new Query(request.query);
  const isLongRunning = target !== undefined && goesOn(request.method, target, query);
  const elapsed = (): number => (ticks() - begun) / 1000;
  return { request, target, query, isLongRunning, kind: undefined, isGivenUp: false, elapsed };
}

const longSubresources: ReadonlySet<string> = new Set([
  "attach",
  "exec",
  "proxy",
  "log",
  "portforward",
]);

function goesOn(method: string, target: RequestTarget, query: Query): boolean {
  if (target.type === "other") return target.path.startsWith("/debug/pprof/");
  const { watch, resource, namespace, name, subresource } = target.resource;
  // `proxy/` before the resource once was a verb, as `watch/` still is.
  if (watch || (resource === "proxy" && namespace === "")) return true;
  if (subresource !== "") return longSubresources.has(subresource);
  const reads = method === "GET" || method === "HEAD";
  return reads && name === "" && (query.flag("watch") ?? false);
}
