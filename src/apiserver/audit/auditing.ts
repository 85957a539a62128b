import type { Clock } from "../../base/clock.ts";
import type { Entropy } from "../../base/entropy.ts";
import { requestAttributes } from "../authorization/attributes.ts";
import type { AuditMetrics } from "../metrics/audit-metrics.ts";
import { anonymous } from "../request/identity.ts";
import type { ApiResponse } from "../request/request.ts";
import type { RequestState } from "../request/request-state.ts";
import type { ObjectReference } from "./audit-event.ts";
import type { AuditPolicy } from "./audit-policy.ts";
import { type AuditedAttributes, auditRules } from "./audit-rules.ts";
import type { AuditSink, LostEvents, Taken } from "./audit-sink.ts";
import { auditedUri } from "./audited-uri.ts";
import { RequestAudit, type RequestAuditParts } from "./request-audit.ts";
import { sourceAddresses } from "./source-addresses.ts";
import { wallMicros } from "./wall-micros.ts";

/** Which requests are audited, and where their events go. */
export interface AuditOptions {
  /** Valid, as `auditPolicyFaults` says. */
  readonly policy: AuditPolicy;
  /** Opens the sink; it is closed by its owner, after the server. */
  readonly sink: (lost: LostEvents) => AuditSink;
}

export interface AuditingParts {
  readonly clock: Clock;
  readonly ticks: () => number;
  readonly entropy: Entropy;
  readonly metrics: AuditMetrics;
  readonly lost: LostEvents;
}

/** Begins the audit of requests. */
export class Auditing {
  readonly #entropy: Entropy;
  readonly #metrics: AuditMetrics;
  readonly #extentOf: ReturnType<typeof auditRules>;
  readonly #micros: () => number;
  readonly #parts: RequestAuditParts;

  constructor({ policy, sink }: AuditOptions, { metrics, entropy, ...parts }: AuditingParts) {
    this.#entropy = entropy;
    this.#metrics = metrics;
    this.#extentOf = auditRules(policy);
    this.#micros = wallMicros(parts.clock, parts.ticks);
    const events = sink(parts.lost);
    this.#parts = {
      micros: this.#micros,
      send(event) {
        metrics.sent();
        return events.send([event]);
      },
    };
  }

  /** Begins the audit of an authenticated request and sends its first event; false if it could not be taken. */
  receive(state: RequestState): Taken {
    state.audit = this.#begin(state, state.attributes);
    if (!state.audit) return true;
    const taken = state.audit.reach("RequestReceived");
    const counted = (isTaken: boolean): boolean => {
      if (!isTaken) this.#metrics.rejected();
      return isTaken;
    };
    return taken instanceof Promise ? taken.then(counted) : counted(taken);
  }

  /** Sends the only event of a request that was rejected before its caller was known. */
  async refuse(state: RequestState, response: ApiResponse): Promise<void> {
    const { request, target, query } = state;
    const { user: _, ...attributes } = requestAttributes(request, {
      user: anonymous,
      target,
      query,
    });
    const audit = this.#begin(state, attributes);
    audit?.responded(response);
    await audit?.reach("ResponseStarted");
  }

  #begin(state: RequestState, attributes: AuditedAttributes): RequestAudit | undefined {
    const extent = this.#extentOf(attributes);
    this.#metrics.chose(extent.level);
    if (extent.level === "None") return undefined;
    const { request } = state;
    state.auditId ??= request.headers["audit-id"] || this.#entropy.uuid();
    const audit = new RequestAudit(this.#parts, extent, {
      auditID: state.auditId,
      requestURI: auditedUri(request),
      verb: attributes.verb,
      user: attributes.user,
      sourceIPs: sourceAddresses(request),
      userAgent: shortened(request.headers["user-agent"] ?? ""),
      objectRef: attributes.isResource ? referenceOf(attributes) : undefined,
      received: this.#micros() - Math.floor(state.elapsed() * 1e6),
    });
    for (const [key, value] of state.earlyAnnotations) audit.annotate(key, value);
    return audit;
  }
}

const referenceOf = (attributes: AuditedAttributes): ObjectReference => ({
  resource: attributes.resource,
  namespace: attributes.namespace,
  name: attributes.name,
  uid: undefined,
  apiGroup: attributes.group,
  apiVersion: attributes.version,
  resourceVersion: undefined,
  subresource: attributes.subresource,
});

const longestAgent = 1024;
const shortened = (agent: string): string =>
  agent.length > longestAgent ? `${agent.slice(0, longestAgent)}...TRUNCATED` : agent;
