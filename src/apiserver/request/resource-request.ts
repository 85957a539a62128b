import { badRequest } from "../../api/meta/v1/status-error.ts";
import { validateTableOptions } from "../../api/meta/v1/table.ts";
import { At } from "../../schema/language/report.ts";
import type { RequestAudit } from "../audit/request-audit.ts";
import type { Attributes } from "../authorization/attributes.ts";
import type { Address } from "../objects/address.ts";
import type { AnyKind, ApiObject } from "../objects/object.ts";
import type { RequestContext, TimeLeft } from "../objects/request-context.ts";
import type { Resources } from "../objects/resources.ts";
import { Stored } from "../objects/stored.ts";
import { scaleKind, scaleOfObject } from "../subresources/scale-subresource.ts";
import { defaultManager } from "../verbs/patch/field-management.ts";
import type { VerbParts } from "../verbs/verb-parts.ts";
import type { Negotiated } from "./negotiation.ts";
import type { Query } from "./query.ts";
import type { ApiRequest, ApiResponse } from "./request.ts";
import type { ResourcePath } from "./request-info.ts";
import { type AnswerContext, objectResponse } from "./respond.ts";
import type { IncludeObject } from "./table.ts";

/** A request for a resource, as the handlers of verbs see it. */
export interface ResourceRequest {
  readonly request: ApiRequest;
  readonly path: ResourcePath;
  readonly kind: AnyKind;
  readonly query: Query;
  readonly accept: Negotiated;
  /** The caller and what was authorized. */
  readonly attributes: Attributes;
  readonly warnings: string[];
  readonly parts: VerbParts;
  readonly resources: Resources;
  /** The audit of the request, if it is audited. */
  readonly audit?: RequestAudit | undefined;
  /** Throws if the request has timed out. */
  readonly checkpoint?: () => void;
  /** How long the request may still take. */
  readonly timeLeft?: () => TimeLeft;
  /** Called when a watch that begins with all objects has sent them. */
  readonly onListed?: () => void;
}

/** The address of the object that a path names. */
export const addressOf = ({ kind, path }: ResourceRequest): Address => ({
  kind,
  namespace: kind.scope === "Namespaced" ? path.namespace : "",
  name: path.name,
});

/** The response with an object, or with its Scale where the path is that of the subresource. */
export function shown(
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

/** The caller and the options of a write, for admission and the strategies of kinds. */
export const requestContext = (
  { request, attributes, warnings, audit, checkpoint, timeLeft }: ResourceRequest,
  { dryRun, fieldManager = "", given }: RequestOptions,
): RequestContext => ({
  user: attributes.user,
  attributes,
  dryRun,
  fieldManager: fieldManager || defaultManager(request.headers["user-agent"] ?? ""),
  warnings,
  ...(given && { options: given }),
  ...(audit && { auditAnnotations: audit.annotations }),
  ...(audit?.hasRequests && { auditedPatches: audit.annotations }),
  ...(checkpoint && { checkpoint }),
  ...(timeLeft && { timeLeft }),
});

interface RequestOptions {
  readonly dryRun: boolean;
  readonly fieldManager?: string;
  /** All options that the client sent. */
  readonly given?: object;
}

/** What the response depends on beside the object. */
export const answerContext = ({
  accept,
  query,
  warnings,
  parts,
}: ResourceRequest): AnswerContext => ({
  accept,
  warnings,
  now: parts.environment.clock.now(),
  includeObject: includeObject(query, accept),
});

function includeObject(query: Query, accept: Negotiated): IncludeObject {
  const value = query.text("includeObject");
  if (value === "" || accept.as !== "Table") return "Metadata";
  const at = At.root();
  validateTableOptions({ includeObject: value }, at);
  const [error] = at.errors;
  if (error)
    throw badRequest(`Unable to convert to Table as requested: ${error.field}: ${error.message}`);
  return value as IncludeObject;
}
