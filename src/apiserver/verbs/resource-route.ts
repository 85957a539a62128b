import { methodNotAllowed, pathNotFound } from "../../api/meta/v1/status-error.ts";
import { isConnection } from "../connect/connect-request.ts";
import { checkCustomRequest } from "../custom/check-custom-request.ts";
import type { AnyKind } from "../objects/object.ts";
import { type Resources, servedSubresources } from "../objects/resources.ts";
import type { Query } from "../request/query.ts";
import type { ApiResponse } from "../request/request.ts";
import type { ResourcePath } from "../request/request-info.ts";
import { textResponse } from "../request/respond.ts";
import type { Verb } from "./verb.ts";

/** The response where a group does not have the resource: only upstream's own groups send a Status. */
export function pathAbsent(resources: Resources, group: string): ApiResponse {
  if (resources.isDeclared(group)) throw pathNotFound();
  return textResponse(404, "404 page not found\n");
}

/** The kind at a path; throws if there is none or if the path does not fit it. */
export function kindAt(resources: Resources, path: ResourcePath): AnyKind {
  const kind = resources.find(path.group, path.version, path.resource);
  if (!kind || (path.rest.length > 0 && path.subresource !== "proxy")) throw pathNotFound();
  if (!kind.struct) {
    if (path.rest.length > 0) throw pathNotFound();
    return kind;
  }
  const inNamespace = path.namespace !== "" && path.resource !== "namespaces";
  if (kind.scope === "Cluster" ? inNamespace : !inNamespace && path.name !== "")
    throw pathNotFound();
  if (path.subresource !== "" && !servedSubresources(kind).includes(path.subresource))
    throw pathNotFound();
  if (path.name.includes("/")) throw pathNotFound();
  if (path.watch && !kind.verbs.includes("watch")) throw pathNotFound();
  if (!isAddressable(kind, path)) throw pathNotFound();
  if (path.name !== "" && !kind.verbs.some((verb) => itemVerbs.has(verb))) throw pathNotFound();
  return kind;
}

/** A namespaced kind that cannot be listed, only created, has no path across all namespaces. */
const isAddressable = (kind: AnyKind, path: ResourcePath): boolean =>
  kind.scope === "Cluster" || path.namespace !== "" || kind.verbs.includes("list");

/** The verbs of a single object; a kind that can only be created has no path for one. */
const itemVerbs: ReadonlySet<string> = new Set(["get", "update", "patch", "delete"]);

interface RoutedRequest {
  readonly request: { readonly method: string };
  readonly query: Query;
  readonly warnings: string[];
}

/** The verb of a request; throws if the kind or the path does not allow it. */
export function verbAt(
  kind: AnyKind,
  path: ResourcePath,
  { request: { method }, query, warnings }: RoutedRequest,
): Verb {
  if (kind.struct && isConnection(path)) return "connect";
  if (method === "OPTIONS" || (method === "HEAD" && kind.struct)) throw methodNotAllowed();
  // Custom kinds have no router before them: a HEAD is a GET without its body.
  const verb = verbOf(method === "HEAD" ? "GET" : method, path, query);
  if (!kind.struct) checkCustomRequest(kind, path, { verb, warnings });
  else if (!isAllowed(kind, path, verb)) throw methodNotAllowed();
  return verb as Verb;
}

interface MethodVerbs {
  readonly withName: Verb;
  readonly withoutName: Verb;
}

const methodVerbs = new Map<string, MethodVerbs>([
  ["GET", { withName: "get", withoutName: "list" }],
  ["POST", { withName: "create", withoutName: "create" }],
  ["PUT", { withName: "update", withoutName: "update" }],
  ["PATCH", { withName: "patch", withoutName: "patch" }],
  ["DELETE", { withName: "delete", withoutName: "deletecollection" }],
]);

/** The verb of a method; that of an unknown method is its name, which no kind allows. */
function verbOf(method: string, path: ResourcePath, query: Query): string {
  const isNamed = path.name !== "";
  if (method === "GET" && (path.watch || (query.flag("watch") && !isNamed))) return "watch";
  const verbs = methodVerbs.get(method);
  return verbs?.[isNamed ? "withName" : "withoutName"] ?? method.toLowerCase();
}

/** Whether responses can be tables: a kind or a subresource that cannot be read has no columns. */
export const hasTable = (kind: AnyKind, { subresource }: ResourcePath): boolean =>
  !kind.struct || (kind.verbs.includes("get") && !actions.has(subresource));

/** Subresources that act on an object and hold nothing to read. */
const actions: ReadonlySet<string> = new Set(["binding", "eviction", "token"]);

function isAllowed(kind: AnyKind, path: ResourcePath, verb: string): boolean {
  const isNamed = path.name !== "";
  if (path.watch && verb !== "watch") return false;
  if (path.subresource !== "") {
    if (path.subresource === "finalize") return verb === "update";
    if (actions.has(path.subresource)) return verb === "create";
    return verb === "get" || verb === "update" || verb === "patch";
  }
  if (!(kind.verbs as readonly string[]).includes(verb)) return false;
  const isAcrossNamespaces = kind.scope === "Namespaced" && path.namespace === "";
  if (verb === "create" || verb === "deletecollection") return !isNamed && !isAcrossNamespaces;
  if (verb === "list") return !isNamed;
  return verb === "watch" || isNamed;
}
