import { badRequest, methodNotAllowed, pathNotFound } from "../../api/meta/v1/status-error.ts";
import { checkCustomRequest } from "../custom/check-custom-request.ts";
import type { AnyKind } from "../objects/object.ts";
import { read } from "../objects/registry.ts";
import { type Resources, servedSubresources } from "../objects/resources.ts";
import { listOptions, parseVersion, type Query } from "../request/query.ts";
import type { ApiResponse } from "../request/request.ts";
import type { ResourcePath } from "../request/request-info.ts";
import {
  addressOf,
  answerContext,
  type ResourceRequest,
  shown,
} from "../request/resource-request.ts";
import { listResponse, objectResponse, textResponse } from "../request/respond.ts";
import { componentStatus, componentStatuses } from "../subresources/component-statuses.ts";
import { watchResponse } from "../watch/watch-response.ts";
import { deleteCollection, deleteOne } from "./delete-handler.ts";
import { list, reach } from "./list.ts";
import { selectionOf } from "./selection.ts";
import { createObject, patchObject, updateObject } from "./write-handler.ts";

/** The answer where a group has nothing of the kind: with a Status only where the group is upstream's own. */
export function pathAbsent(resources: Resources, group: string): ApiResponse {
  if (resources.isDeclared(group)) throw pathNotFound();
  return textResponse(404, "404 page not found\n");
}

/** The kind at a path; throws where there is none or the path does not fit it. */
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

/** What can only be created is created in a namespace: without one there is no path. */
const isAddressable = (kind: AnyKind, path: ResourcePath): boolean =>
  kind.scope === "Cluster" || path.namespace !== "" || kind.verbs.includes("list");

/** What can be asked of a single object; what can only be created has no path for one. */
const itemVerbs: ReadonlySet<string> = new Set(["get", "update", "patch", "delete"]);

/** The verb by which a request is authorised and carried out. */
export function verbOf(method: string, path: ResourcePath, query: Query): string {
  const single = path.name !== "";
  switch (method) {
    case "GET":
      if (path.watch || (query.flag("watch") && !single)) return "watch";
      return single ? "get" : "list";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return single ? "delete" : "deletecollection";
    default:
      return method.toLowerCase();
  }
}

/** Throws where a path cannot be asked that. */
export function checkVerb(kind: AnyKind, path: ResourcePath, verb: string): void {
  if (!kind.struct) checkCustomRequest(kind, path, verb);
  else if (!isAllowed(kind, path, verb)) throw methodNotAllowed();
}

/** What cannot be read is no row of a table either. */
export const hasTable = (kind: AnyKind, { subresource }: ResourcePath): boolean =>
  !kind.struct || (kind.verbs.includes("get") && !createdOnly.has(subresource));

/** Carries out a request on a resource, whose verb has been checked. */
export async function handleResource(request: ResourceRequest, verb: string): Promise<ApiResponse> {
  const { kind } = request;
  if (kind.deprecated) request.warnings.push(kind.deprecated);
  switch (verb) {
    case "get":
      return get(request);
    case "list":
      return listObjects(request);
    case "watch":
      return watch(request);
    case "create":
      return createObject(request);
    case "update":
      return updateObject(request);
    case "patch":
      return patchObject(request);
    case "delete":
      return deleteOne(request);
    default:
      return deleteCollection(request);
  }
}

/** Subresources that are asked to do something, and hold nothing. */
const createdOnly: ReadonlySet<string> = new Set(["binding", "eviction", "token"]);

function isAllowed(kind: AnyKind, path: ResourcePath, verb: string): boolean {
  const named = path.name !== "";
  if (path.watch && verb !== "watch") return false;
  if (path.subresource !== "") {
    if (path.subresource === "finalize") return verb === "update";
    if (createdOnly.has(path.subresource)) return verb === "create";
    return verb === "get" || verb === "update" || verb === "patch";
  }
  if (!(kind.verbs as readonly string[]).includes(verb)) return false;
  const everywhere = kind.scope === "Namespaced" && path.namespace === "";
  if (verb === "create" || verb === "deletecollection") return !named && !everywhere;
  if (verb === "list") return !named;
  return verb === "watch" || named;
}

async function get(request: ResourceRequest): Promise<ApiResponse> {
  const { kind, path, query, registry } = request;
  if (query.flag("export"))
    throw badRequest("the export parameter, deprecated since v1.14, is no longer supported");
  if (!kind.isStored) {
    const object = await componentStatus(registry, kind, path.name);
    return objectResponse(kind, object, { ...answerContext(request), status: 200 });
  }
  await reach(request.registry, parseVersion(request.query.text("resourceVersion")));
  const stored = await read(request.registry, addressOf(request));
  return shown(request, stored, 200);
}

async function listObjects(request: ResourceRequest): Promise<ApiResponse> {
  const { kind, path, query, registry } = request;
  const options = listOptions(query);
  const selection = selectionOf(kind, options);
  const page = kind.isStored
    ? await list(registry, { kind, namespace: path.namespace, options, selection })
    : await componentStatuses(registry, kind, selection);
  return listResponse(kind, page, answerContext(request));
}

async function watch(request: ResourceRequest): Promise<ApiResponse> {
  const { kind, path, query, registry } = request;
  const options = { ...listOptions(query), watch: true };
  const named =
    path.name === ""
      ? options
      : { ...options, fieldSelector: withName(options.fieldSelector, path.name) };
  const selection = selectionOf(kind, named);
  const version = parseVersion(options.resourceVersion);
  if (options.sendInitialEvents) await reach(registry, version);
  if (options.resourceVersion === "" || options.sendInitialEvents) await registry.cache.fresh();
  return watchResponse(request, { options, selection, ...answerContext(request) });
}

const withName = (selector: string, name: string): string =>
  selector === "" ? `metadata.name=${name}` : `${selector},metadata.name=${name}`;
