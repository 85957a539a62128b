import type { RequestAudit } from "../audit/request-audit.ts";
import type { Attributes } from "../authorization/attributes.ts";
import type { MatchedFlow } from "../fairness/priority-and-fairness.ts";
import type { AnyKind } from "../objects/object.ts";
import type { Verb } from "../verbs/verb.ts";
import { anyForm, asAsked, formOfErrors, type Negotiated } from "./negotiation.ts";
import { Query } from "./query.ts";
import type { ApiRequest } from "./request.ts";
import { parsePath, type RequestTarget } from "./request-info.ts";

/** A request on its way through the pipeline: its parsed first line, and what the stages add to it. */
export class RequestState {
  readonly request: ApiRequest;
  readonly target: RequestTarget;
  /** Whether the path cannot be decoded; `target` then holds it as it was sent. */
  readonly isMalformed: boolean;
  readonly query: Query;
  /** Whether the client decides how long the request runs: limits of time and number do not apply. */
  readonly isLongRunning: boolean;
  /** Sent with the response as Warning headers. */
  readonly warnings: string[] = [];
  /** The kind at the path, once the verb is known to be allowed there. */
  kind: AnyKind | undefined = undefined;
  /** What the request does with that kind; set together with it. */
  verb: Verb | undefined = undefined;
  /** The id under which the request is audited, if a stage needed it before the response. */
  auditId: string | undefined = undefined;
  /** Its audit, if it is audited; set once the caller is known. */
  audit: RequestAudit | undefined = undefined;
  /** The message of an error that shows a bug of the server. */
  panic: string | undefined = undefined;
  /** The flow schema and the priority level that limit the request, once they are known. */
  flow: MatchedFlow | undefined = undefined;
  /** Whether the request timed out: the client has its response, and later stages need not run. */
  isGivenUp = false;
  #attributes: Attributes | undefined = undefined;
  #earlyAnnotations: readonly (readonly [string, string])[] | undefined = undefined;
  readonly #ticks: () => number;
  readonly #begun: number;

  /** `ticks` are milliseconds of a monotonic clock. */
  constructor(request: ApiRequest, ticks: () => number) {
    this.#ticks = ticks;
    this.#begun = ticks();
    this.request = request;
    const target = parsePath(request.path);
    this.target = target ?? { type: "other", path: request.path };
    this.isMalformed = target === undefined;
    this.query = new Query(request.query);
    this.isLongRunning = target !== undefined && isLongRunning(request.method, target, this.query);
  }

  /** The caller and what it asks for; set by authentication, changed by impersonation. */
  get attributes(): Attributes {
    if (!this.#attributes) throw new Error("the request is not authenticated");
    return this.#attributes;
  }

  set attributes(attributes: Attributes) {
    this.#attributes = attributes;
  }

  /** Whether the caller is known. */
  get isAuthenticated(): boolean {
    return this.#attributes !== undefined;
  }

  /** Adds an annotation for the audit log, also before the audit begins. */
  annotate(key: string, value: string): void {
    if (this.audit) this.audit.annotate(key, value);
    else this.#earlyAnnotations = [...(this.#earlyAnnotations ?? []), [key, value]];
  }

  /** Annotations from before the audit begins. */
  get earlyAnnotations(): readonly (readonly [key: string, value: string])[] {
    return this.#earlyAnnotations ?? [];
  }

  /** The form of an error response; undefined is the default form, JSON. */
  get errorForm(): Negotiated | undefined {
    const { request, target } = this;
    if (this.#attributes && target.type === "resource") return formOfErrors(request);
    return request.wantsValues ? asAsked(anyForm, request) : undefined;
  }

  /** Whether the client accepts an object of the API in none of its forms. */
  get acceptsNothing(): boolean {
    const { isAuthenticated, target } = this;
    return isAuthenticated && target.type === "resource" && this.errorForm === undefined;
  }

  /** Seconds since the request arrived. */
  elapsed(): number {
    return (this.#ticks() - this.#begun) / 1000;
  }
}

const longRunningSubresources: ReadonlySet<string> = new Set([
  "attach",
  "exec",
  "proxy",
  "log",
  "portforward",
]);

function isLongRunning(method: string, target: RequestTarget, query: Query): boolean {
  if (target.type === "other") return target.path.startsWith("/debug/pprof/");
  const { watch, resource, namespace, name, subresource } = target.resource;
  // Old clients write `proxy/` before the resource, as they write `watch/`.
  if (watch || (resource === "proxy" && namespace === "")) return true;
  if (subresource !== "") return longRunningSubresources.has(subresource);
  const isRead = method === "GET" || method === "HEAD";
  return isRead && name === "" && (query.flag("watch") ?? false);
}
