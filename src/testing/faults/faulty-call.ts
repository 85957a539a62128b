import { parsePath } from "../../apiserver/request/request-info.ts";
import type { TransportRequest } from "../../client/transport.ts";
import type { FaultyCall } from "./fault.ts";

/** Describes a request for fault rules. */
export function faultyCall(
  { method, path, query }: Pick<TransportRequest, "method" | "path" | "query">,
  who: Pick<FaultyCall, "component" | "user">,
): FaultyCall {
  const target = parsePath(path);
  if (target?.type !== "resource")
    return { ...who, verb: method.toLowerCase(), resource: "", namespace: "", name: "" };
  const { namespace, resource, name, subresource } = target.resource;
  return {
    ...who,
    verb: isWatch(query) ? "watch" : verbOf(method, name !== ""),
    resource: subresource === "" ? resource : `${resource}/${subresource}`,
    namespace,
    name,
  };
}

/** Whether a query is that of a watch. */
export const isWatch = (query: string): boolean => /(^|&)watch=(true|1)(&|$)/.test(query);

function verbOf(method: string, isNamed: boolean): string {
  if (method === "GET" || method === "HEAD") return isNamed ? "get" : "list";
  if (method === "DELETE") return isNamed ? "delete" : "deletecollection";
  return { POST: "create", PUT: "update", PATCH: "patch" }[method] ?? method.toLowerCase();
}
