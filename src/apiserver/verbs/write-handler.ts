import { Pod } from "../../api/core/v1/pod/pod.ts";
import { notFound, pathNotFound } from "../../api/meta/v1/status-error.ts";
import { copyJson } from "../../schema/json/json-value.ts";
import { resourceName } from "../objects/address.ts";
import type { AnyKind, ApiObject, ObjectDraft } from "../objects/object.ts";
import { anyKind } from "../objects/reader.ts";
import type { RequestContext } from "../objects/request-context.ts";
import { bodyBytes, readObject } from "../request/body.ts";
import { writeOptions } from "../request/query.ts";
import type { ApiResponse } from "../request/request.ts";
import {
  addressOf,
  answerContext,
  type ResourceRequest,
  requestContext,
  shown,
} from "../request/resource-request.ts";
import { objectResponse } from "../request/respond.ts";
import { carryOut, createdThrough, type PodRequest } from "../subresources/pod-subresources.ts";
import { scaleKind, throughScale } from "../subresources/scale-subresource.ts";
import { issueToken, tokenKind } from "../subresources/service-account-token.ts";
import { checkNamespace, create } from "./create.ts";
import { readApply } from "./patch/apply-patch.ts";
import { type AwaitedConversions, withConversions } from "./patch/awaited-conversions.ts";
import { patchType, readPatch } from "./patch/patch.ts";
import { review } from "./review.ts";
import { checkName, type Update, update } from "./update.ts";

/** Creates an object, responds to a review, or binds or evicts a pod. */
export async function createObject(request: ResourceRequest): Promise<ApiResponse> {
  const { kind, query, parts, path } = request;
  const options = writeOptions(query, "CreateOptions");
  const draft = readBody(request, options.fieldValidation);
  const context = requestContext(request, options);
  if (path.subresource === "token") {
    const issued = await issueToken(parts, addressOf(request), { draft, context });
    return objectResponse(tokenKind, issued, { ...answerContext(request), status: 201 });
  }
  const isAction = path.subresource !== "" || kind.kind === "Binding";
  if (isAction)
    return carryOut(bodyKind(request), podRequest(request, draft, context), answerContext(request));
  if (!kind.isStored) {
    const answered = await review(parts, addressOf(request), { draft, context });
    return objectResponse(kind, answered, { ...answerContext(request), status: 201 });
  }
  const created = await create(parts, addressOf(request), { draft, context });
  return objectResponse(kind, created, { ...answerContext(request), status: 201, once: true });
}

/** A request that acts on a pod; a binding that was sent to the collection names the pod itself. */
function podRequest(
  { parts, path, query }: ResourceRequest,
  draft: ObjectDraft,
  context: RequestContext,
): PodRequest {
  if (!parts.reader.serves(Pod)) throw pathNotFound();
  const name = path.name === "" ? (draft.metadata.name ?? "") : path.name;
  const { namespace, subresource } = path;
  const address = { kind: anyKind(Pod), namespace, name };
  return { parts, address, draft, subresource, dryRun: query.all("dryRun"), context };
}

const readBody = (
  request: ResourceRequest,
  fieldValidation: "Ignore" | "Warn" | "Strict",
): ObjectDraft => {
  const { resources, warnings, audit } = request;
  const kind = bodyKind(request);
  const draft = readObject(request.request, { kind, resources, fieldValidation, warnings });
  audit?.sent(kind, draft);
  return draft;
};

/** Replaces an object. */
export async function updateObject(request: ResourceRequest): Promise<ApiResponse> {
  const options = writeOptions(request.query, "UpdateOptions");
  const draft = readBody(request, options.fieldValidation);
  const address = addressOf(request);
  checkName(address, draft);
  const context = requestContext(request, options);
  return writeBack(request, { context, change: () => copyJson(draft) });
}

/** Applies a patch of any type to an object. */
export async function patchObject(request: ResourceRequest): Promise<ApiResponse> {
  const { warnings, query, resources } = request;
  const kind = bodyKind(request);
  const type = patchType(request.request, request.kind);
  if (type === "application/apply-patch+yaml") return applyObject(request);
  const options = writeOptions(query, "PatchOptions");
  auditPatch(request);
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
  const { query, parts, path } = request;
  const options = writeOptions(query, "PatchOptions", { isApply: true });
  auditPatch(request);
  const context = requestContext(request, options);
  const target = { kind: bodyKind(request), subresource: path.subresource };
  const applied = readApply(request.request, target, { parts, options, context });
  const address = addressOf(request);
  const changed = (existing: ApiObject | undefined, conversions?: AwaitedConversions) => {
    const draft = applied(existing, conversions);
    checkName(address, draft);
    return draft;
  };
  const { kind } = request;
  const change = (existing: ApiObject | undefined) =>
    kind.converter
      ? withConversions(kind, (conversions) => changed(existing, conversions))
      : changed(existing);
  return writeBack(request, { context, change, isPatch: true, isOwned: true, mayCreate: true });
}

const auditPatch = ({ audit, request }: ResourceRequest): void =>
  audit?.sentText(() => new TextDecoder().decode(bodyBytes(request)));

async function writeBack(
  request: ResourceRequest,
  { context, ...how }: Omit<Update, "address" | "subresource"> & { context: RequestContext },
): Promise<ApiResponse> {
  const { path, parts } = request;
  const { subresource } = path;
  const address = addressOf(request);
  const scaled = subresource === "scale" && throughScale(parts, address, { ...how, context });
  const changes = { ...how, ...(scaled || {}), address, subresource };
  const { object, created } = await update(parts, changes, context);
  return shown(request, object, created ? 201 : 200, true);
}

/** The kind of the object in the body of a request. */
function bodyKind({ kind, path: { subresource }, parts }: ResourceRequest): AnyKind {
  if (subresource === "scale") return scaleKind;
  return subresource === "token" ? tokenKind : (createdThrough(parts.reader, subresource) ?? kind);
}
