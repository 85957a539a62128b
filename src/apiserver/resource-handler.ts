import type { DeleteOptions } from "../api/meta/v1/options.ts";
import { Status } from "../api/meta/v1/status.ts";
import {
  invalid,
  methodNotAllowed,
  notFound,
  pathNotFound,
  StatusError,
} from "../api/meta/v1/status-error.ts";
import { validateTableOptions } from "../api/meta/v1/table.ts";
import { At } from "../schema/report.ts";
import { readApply } from "./apply-patch.ts";
import type { Attributes } from "./authorization/attributes.ts";
import { readObject } from "./body.ts";
import { componentStatus, componentStatuses } from "./component-statuses.ts";
import { checkNamespace, create } from "./create.ts";
import { checkCustomRequest } from "./custom/check-custom-request.ts";
import { deleteObject } from "./delete.ts";
import { readDeleteOptions } from "./delete-options.ts";
import { managerOf, trackFields } from "./field-management.ts";
import { list, reach } from "./list.ts";
import type { Negotiated } from "./negotiation.ts";
import type { AnyKind, ApiObject, ObjectDraft } from "./object.ts";
import { patchType, readPatch } from "./patch.ts";
import { carryOut, createdThrough, type PodRequest } from "./pod-subresources.ts";
import { listOptions, parseVersion, type Query, writeOptions } from "./query.ts";
import {
  type Address,
  type Registry,
  type RequestContext,
  read,
  resourceName,
} from "./registry.ts";
import type { ApiRequest, ApiResponse } from "./request.ts";
import type { ResourcePath } from "./request-info.ts";
import { type Resources, servedSubresources } from "./resources.ts";
import { type AnswerContext, answer, listResponse, objectResponse } from "./respond.ts";
import { review } from "./review.ts";
import { scaleKind, scaleOfObject, throughScale } from "./scale.ts";
import { selectionOf } from "./selection.ts";
import { Stored } from "./stored.ts";
import type { IncludeObject } from "./table.ts";
import { checkName, type Update, update } from "./update.ts";
import { watchResponse } from "./watch-response.ts";

/** What the verbs of a resource work with. */
export interface ResourceRequest {
  readonly request: ApiRequest;
  readonly path: ResourcePath;
  readonly kind: AnyKind;
  readonly query: Query;
  readonly accept: Negotiated;
  /** As what the request was allowed. */
  readonly attributes: Attributes;
  readonly warnings: string[];
  readonly registry: Registry;
  readonly resources: Resources;
}

/** The kind at a path; throws where there is none or the path does not fit it. */
export function kindAt(resources: Resources, path: ResourcePath): AnyKind {
  const kind = resources.find(path.group, path.version, path.resource);
  if (!kind || path.rest.length > 0) throw pathNotFound();
  if (!kind.struct) return kind;
  const inNamespace = path.namespace !== "" && path.resource !== "namespaces";
  if (kind.scope === "Cluster" ? inNamespace : !inNamespace && path.name !== "")
    throw pathNotFound();
  if (path.subresource !== "" && !servedSubresources(kind).includes(path.subresource))
    throw pathNotFound();
  if (path.name.includes("/")) throw pathNotFound();
  if (path.name !== "" && !kind.verbs.some((verb) => itemVerbs.has(verb))) throw pathNotFound();
  return kind;
}

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

/** Carries out a request on a resource. */
export async function handleResource(request: ResourceRequest, verb: string): Promise<ApiResponse> {
  const { kind, path } = request;
  if (!kind.struct) checkCustomRequest(kind, path, verb);
  else if (!isAllowed(kind, path, verb)) throw methodNotAllowed();
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

function isAllowed(kind: AnyKind, path: ResourcePath, verb: string): boolean {
  const named = path.name !== "";
  if (path.subresource !== "") {
    if (path.subresource === "finalize") return verb === "update";
    if (path.subresource === "binding" || path.subresource === "eviction") return verb === "create";
    return verb === "get" || verb === "update" || verb === "patch";
  }
  if (!(kind.verbs as readonly string[]).includes(verb)) return false;
  const everywhere = kind.scope === "Namespaced" && path.namespace === "";
  if (verb === "create" || verb === "deletecollection") return !named && !everywhere;
  if (verb === "list") return !named;
  return verb === "watch" || named;
}

const addressOf = ({ kind, path }: ResourceRequest): Address => ({
  kind,
  namespace: kind.scope === "Namespaced" ? path.namespace : "",
  name: path.name,
});

async function get(request: ResourceRequest): Promise<ApiResponse> {
  const { kind, path, registry } = request;
  if (!kind.isStored) {
    const object = await componentStatus(registry, kind, path.name);
    return objectResponse(kind, object, { ...answerContext(request), status: 200 });
  }
  await reach(request.registry, parseVersion(request.query.text("resourceVersion")));
  const stored = await read(request.registry, addressOf(request));
  return shown(request, stored, 200);
}

/** What a path stands for of an object: itself, or its Scale. */
function shown(
  request: ResourceRequest,
  object: Stored | ApiObject,
  status: number,
  once = false,
): ApiResponse {
  const context = { ...answerContext(request), status, once };
  if (request.path.subresource !== "scale") return objectResponse(request.kind, object, context);
  const scaled = object instanceof Stored ? object.object : object;
  return objectResponse(scaleKind, scaleOfObject(request.kind, scaled), context);
}

/** The kind of what is written to a path. */
const bodyKind = ({ kind, path, resources }: ResourceRequest): AnyKind =>
  path.subresource === "scale" ? scaleKind : (createdThrough(resources, path.subresource) ?? kind);

async function listObjects(request: ResourceRequest): Promise<ApiResponse> {
  const { kind, path, query, registry } = request;
  const options = listOptions(query);
  const selection = selectionOf(kind, options);
  const page = kind.isStored
    ? await list(registry, { kind, namespace: path.namespace, options, selection })
    : await componentStatuses(registry, kind);
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

async function createObject(request: ResourceRequest): Promise<ApiResponse> {
  const { kind, query, registry, path } = request;
  const options = writeOptions(query, "CreateOptions");
  const draft = readBody(request, options.fieldValidation);
  const context = requestContext(request, options);
  const isAction = path.subresource !== "" || kind.kind === "Binding";
  if (isAction)
    return carryOut(bodyKind(request), podRequest(request, draft, context), answerContext(request));
  if (!kind.isStored) {
    trackFields(registry, { kind, subresource: "" }, { draft, old: undefined, context });
    const answered = await review(registry, addressOf(request), { draft, context });
    return objectResponse(kind, answered, { ...answerContext(request), status: 201 });
  }
  const created = await create(registry, addressOf(request), { draft, context });
  return objectResponse(kind, created, { ...answerContext(request), status: 201, once: true });
}

/** What is to be done with a pod; a binding that was sent to all of them names its own. */
function podRequest(
  { registry, resources, path, query }: ResourceRequest,
  draft: ObjectDraft,
  context: RequestContext,
): PodRequest {
  const kind = resources.find("", "v1", "pods");
  if (!kind) throw pathNotFound();
  const name = path.name === "" ? (draft.metadata.name ?? "") : path.name;
  const address = { kind, namespace: path.namespace, name };
  return { registry, address, draft, dryRun: query.all("dryRun"), context };
}

const readBody = (
  request: ResourceRequest,
  fieldValidation: "Ignore" | "Warn" | "Strict",
): ObjectDraft => {
  const { resources, warnings } = request;
  const kind = bodyKind(request);
  return readObject(request.request, { kind, resources, fieldValidation, warnings });
};

async function updateObject(request: ResourceRequest): Promise<ApiResponse> {
  const options = writeOptions(request.query, "UpdateOptions");
  const draft = readBody(request, options.fieldValidation);
  const address = addressOf(request);
  checkName(address, draft);
  const context = requestContext(request, options);
  return writeBack(request, { context, change: () => structuredClone(draft) });
}

async function patchObject(request: ResourceRequest): Promise<ApiResponse> {
  const { warnings, query, resources } = request;
  const kind = bodyKind(request);
  const type = patchType(request.request, request.kind);
  if (type === "application/apply-patch+yaml") return applyObject(request);
  const options = writeOptions(query, "PatchOptions");
  const patch = readPatch(request.request, { ...options, type, kind, resources, warnings });
  const address = addressOf(request);
  const change = (existing: ApiObject | undefined) => {
    if (!existing) throw notFound(resourceName(address));
    const draft = patch(existing);
    checkNamespace(kind, address.namespace, draft);
    checkName(address, draft);
    return draft;
  };
  return writeBack(request, { context: requestContext(request, options), change, isPatch: true });
}

async function applyObject(request: ResourceRequest): Promise<ApiResponse> {
  const { query, registry, path } = request;
  const options = writeOptions(query, "PatchOptions", { isApply: true });
  const context = requestContext(request, options);
  const target = { kind: bodyKind(request), subresource: path.subresource };
  const applied = readApply(request.request, target, { registry, options, context });
  const address = addressOf(request);
  const change = (existing: ApiObject | undefined) => {
    const draft = applied(existing);
    checkName(address, draft);
    return draft;
  };
  return writeBack(request, { context, change, isPatch: true, isOwned: true, mayCreate: true });
}

async function writeBack(
  request: ResourceRequest,
  { context, ...how }: Omit<Update, "address" | "subresource"> & { context: RequestContext },
): Promise<ApiResponse> {
  const { path, registry } = request;
  const { subresource } = path;
  const address = addressOf(request);
  const scaled = subresource === "scale" && throughScale(registry, address, { ...how, context });
  const changes = { ...how, ...(scaled || {}), address, subresource };
  const { object, created } = await update(registry, changes, context);
  return shown(request, object, created ? 201 : 200, true);
}

async function deleteOne(request: ResourceRequest): Promise<ApiResponse> {
  const { kind, registry } = request;
  const options = deleteOptions(request);
  const context = requestContext(request, { dryRun: (options.dryRun?.length ?? 0) > 0 });
  const { object, gone } = await deleteObject(registry, addressOf(request), { options, context });
  if (!gone || kind.strategy.deleteReturnsObject)
    return objectResponse(kind, object, { ...answerContext(request), status: 200 });
  const { name, uid } = object.metadata;
  const status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { name, ...(kind.group !== "" && { group: kind.group }), kind: kind.plural, uid },
  };
  return answer(200, status, { ...answerContext(request), struct: Status });
}

function deleteOptions({ request, query, kind, warnings }: ResourceRequest): DeleteOptions {
  const options = readDeleteOptions(request, query);
  const { dependentsWarning } = kind.strategy;
  const { propagationPolicy, orphanDependents } = options;
  if (dependentsWarning && propagationPolicy === undefined && orphanDependents === undefined)
    warnings.push(dependentsWarning);
  return options;
}

async function deleteCollection(request: ResourceRequest): Promise<ApiResponse> {
  const { kind, path, query, registry } = request;
  const options = deleteOptions(request);
  const listing = listOptions(query);
  const selection = selectionOf(kind, listing);
  const page = await list(registry, {
    kind,
    namespace: path.namespace,
    options: listing,
    selection,
  });
  const context = requestContext(request, { dryRun: (options.dryRun?.length ?? 0) > 0 });
  for (const stored of page.objects) await deleteEach(request, stored, { options, context });
  return listResponse(kind, page, answerContext(request));
}

/** One that is gone meanwhile is what was wanted. */
async function deleteEach(
  { kind, registry }: ResourceRequest,
  { object }: Pick<Stored, "object">,
  how: { readonly options: DeleteOptions; readonly context: RequestContext },
): Promise<void> {
  const { name = "", namespace = "" } = object.metadata;
  try {
    await deleteObject(registry, { kind, namespace, name }, how);
  } catch (error) {
    if (!StatusError.is(error, "NotFound")) throw error;
  }
}

const requestContext = (
  { request, attributes, warnings }: ResourceRequest,
  { dryRun, fieldManager = "" }: { readonly dryRun: boolean; readonly fieldManager?: string },
): RequestContext => ({
  user: attributes.user,
  attributes,
  dryRun,
  fieldManager: fieldManager || managerOf(request.headers["user-agent"] ?? ""),
  warnings,
});

const answerContext = ({ accept, query, warnings, registry }: ResourceRequest): AnswerContext => ({
  accept,
  warnings,
  now: registry.clock.now(),
  includeObject: includeObject(query, accept),
});

function includeObject(query: Query, accept: Negotiated): IncludeObject {
  const value = query.text("includeObject");
  if (value === "" || accept.as !== "Table") return "Metadata";
  const at = At.root();
  validateTableOptions({ includeObject: value }, at);
  if (at.errors.length > 0)
    throw invalid({ group: "meta.k8s.io", resource: "TableOptions", name: "" }, at.errors);
  return value as IncludeObject;
}
