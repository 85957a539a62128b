import type { AnyKind, ObjectDraft } from "../objects/object.ts";
import type { User } from "../request/identity.ts";
import type { ApiResponse } from "../request/request.ts";
import {
  AuditEvent,
  type AuditFacts,
  byKey,
  type ObjectReference,
  type ResponseStatus,
} from "./audit-event.ts";
import { type AuditLevel, type AuditStage, auditLevels } from "./audit-policy.ts";
import type { AuditExtent } from "./audit-rules.ts";
import type { Taken } from "./audit-sink.ts";
import { sentObject, sentPatch, withoutManagedFields } from "./audited-object.ts";

/** What is known of a request when its audit begins. */
export type KnownFacts = Pick<
  AuditFacts,
  "auditID" | "requestURI" | "verb" | "user" | "sourceIPs" | "userAgent" | "objectRef" | "received"
>;

export interface RequestAuditParts {
  /** Microseconds since the epoch. */
  readonly micros: () => number;
  readonly send: (event: AuditEvent) => Taken;
}

/** One request that is audited: what its events say, which later stages add to. */
export class RequestAudit {
  readonly #parts: RequestAuditParts;
  readonly #extent: AuditExtent;
  readonly #known: KnownFacts;
  #objectRef: ObjectReference | undefined;
  #impersonated: User | undefined;
  #constraint: string | undefined;
  #status: ResponseStatus | undefined;
  #requestObject: string | undefined;
  #responseObject: string | undefined;
  /** Annotations of the events from now on, by key. */
  readonly annotations = new Map<string, string>();

  constructor(parts: RequestAuditParts, extent: AuditExtent, known: KnownFacts) {
    this.#parts = parts;
    this.#extent = extent;
    this.#known = known;
    this.#objectRef = known.objectRef;
  }

  /** Whether events hold the objects of requests. */
  get hasRequests(): boolean {
    return this.#reaches("Request");
  }

  /** Adds an annotation, unless the request has one with that key. */
  annotate(key: string, value: string): void {
    if (!this.annotations.has(key)) this.annotations.set(key, value);
  }

  /** Notes who the request is made for, and the verb that allowed it in a constrained mode. */
  impersonate(user: User, constraint: string | undefined): void {
    this.#impersonated = user;
    this.#constraint = constraint;
  }

  /** Notes an object that was sent: in a reference to it, and itself if events hold requests. */
  sent(kind: AnyKind, draft: ObjectDraft): void {
    const { namespace, name, uid, resourceVersion } = draft.metadata ?? {};
    const known = this.#objectRef ?? {};
    this.#objectRef = {
      ...known,
      namespace: known.namespace || namespace,
      name: known.name || name,
      uid: known.uid || uid,
      resourceVersion: known.resourceVersion || resourceVersion,
    };
    if (this.hasRequests)
      this.#requestObject = sentObject(kind, draft, this.#extent.omitManagedFields);
  }

  /** Notes options that were sent, or a patch; its text is read only if events hold requests. */
  sentText(text: () => string): void {
    if (this.hasRequests) this.#requestObject = sentPatch(text());
  }

  /** Notes the response. */
  responded(response: ApiResponse): void {
    const { described, status: code } = response;
    this.#status = { ...described?.status, code };
    if (described && this.#reaches("RequestResponse"))
      this.#responseObject = this.#shown(described.json?.() ?? textOf(response.body));
  }

  /** Notes that the request has found a bug of the server. */
  panicked(message: string): void {
    this.#status = {
      status: "Failure",
      message: `APIServer panic'd: ${message}`,
      reason: "InternalError",
      code: 500,
    };
  }

  /** Sends the event of a stage, unless the policy omits it. */
  reach(stage: AuditStage): Taken {
    if (this.#extent.omitStages.has(stage)) return true;
    const { received } = this.#known;
    const facts: AuditFacts = {
      ...this.#known,
      level: this.#extent.level,
      stage,
      impersonatedUser: this.#impersonated,
      impersonationConstraint: this.#constraint,
      objectRef: this.#objectRef,
      responseStatus: this.#status,
      requestObject: this.#requestObject,
      responseObject: this.#responseObject,
      reached: stage === "RequestReceived" ? received : this.#parts.micros(),
      annotations:
        this.annotations.size < 2 ? [...this.annotations] : [...this.annotations].sort(byKey),
    };
    return this.#parts.send(new AuditEvent(facts));
  }

  #shown(json: string): string {
    return this.#extent.omitManagedFields ? withoutManagedFields(json) : json;
  }

  #reaches(level: AuditLevel): boolean {
    return auditLevels.indexOf(this.#extent.level) >= auditLevels.indexOf(level);
  }
}

const decoder = new TextDecoder();

/** The body of a response that is JSON, without the line feed at its end. */
function textOf(body: ApiResponse["body"]): string {
  if (body === undefined) return "null";
  const pieces = typeof body === "string" || body instanceof Uint8Array ? [body] : body;
  if (!Array.isArray(pieces)) return "null";
  const texts = (pieces as readonly (string | Uint8Array)[]).map((piece) =>
    typeof piece === "string" ? piece : decoder.decode(piece),
  );
  return texts.join("").trimEnd();
}
