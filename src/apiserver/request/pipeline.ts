import type { Clock } from "../../base/clock.ts";
import type { Entropy } from "../../base/entropy.ts";
import type { Log } from "../../base/log.ts";
import type { Delegates } from "../aggregation/delegates.ts";
import type { Auditing } from "../audit/auditing.ts";
import type { Authentication } from "../authentication/authenticate.ts";
import type { Authorizer } from "../authorization/authorizer.ts";
import type { Connections } from "../connect/kubelet-connection.ts";
import type { Documents } from "../documents/documents.ts";
import type { ServerMetrics } from "../metrics/server-metrics.ts";
import type { Resources } from "../objects/resources.ts";
import type { TracingOptions } from "../tracing/request-span.ts";
import type { VerbParts } from "../verbs/verb-parts.ts";
import type { Draining } from "./load/draining.ts";
import type { InFlight } from "./load/in-flight.ts";
import type { TimeLimit } from "./load/request-timeout.ts";
import type { Stage } from "./stage.ts";
import { audit } from "./stages/audit.ts";
import { auditId } from "./stages/audit-id.ts";
import { auditReceived } from "./stages/audit-received.ts";
import { authenticateCaller } from "./stages/authenticate.ts";
import { authorizeCaller } from "./stages/authorize.ts";
import { cors } from "./stages/cors.ts";
import { countRequests } from "./stages/count-requests.ts";
import { delegate } from "./stages/delegate.ts";
import { drain } from "./stages/drain.ts";
import { findKind } from "./stages/find-kind.ts";
import { flowHeaders } from "./stages/flow-headers.ts";
import { impersonate } from "./stages/impersonate.ts";
import { type FairLimitParts, limitFairly } from "./stages/limit-fairly.ts";
import { limitInFlight } from "./stages/limit-in-flight.ts";
import { limitTime } from "./stages/limit-time.ts";
import { prettyPrint } from "./stages/pretty-print.ts";
import { rejectMalformedPath } from "./stages/reject-malformed-path.ts";
import { runVerb } from "./stages/run-verb.ts";
import { serveDocuments } from "./stages/serve-documents.ts";
import { trace } from "./stages/trace.ts";
import { translateErrors } from "./stages/translate-errors.ts";
import { transportSecurity } from "./stages/transport-security.ts";

/** What the stages need; each takes the part of it that it names. */
export interface PipelineParts {
  readonly verbParts: VerbParts;
  readonly resources: Resources;
  readonly authentication: Authentication;
  readonly authorizer: Authorizer;
  readonly documents: Pick<Documents, "serve">;
  readonly delegates: Pick<Delegates, "respondTo">;
  readonly connections: Connections;
  readonly draining: Draining;
  /** Absent if no request is audited. */
  readonly auditing?: Auditing | undefined;
  readonly inFlight: InFlight;
  /** Has requests wait for their turn; without it those beyond the limit in flight are rejected. */
  readonly fairLimit:
    | Pick<FairLimitParts, "fairness" | "facts" | "watchers" | "flowControl">
    | undefined;
  readonly timeLimit: TimeLimit;
  readonly metrics: ServerMetrics;
  readonly entropy: Entropy;
  readonly clock: Clock;
  /** Exports spans of requests; there are no traces if not given. */
  readonly tracing?: TracingOptions | undefined;
  /** Milliseconds of a monotonic clock. */
  readonly ticks: () => number;
  readonly log: Log;
  /** Regular expressions, in Go's syntax, of the web origins whose pages may call the server. */
  readonly corsAllowedOrigins?: readonly string[];
  /** Directives of the header Strict-Transport-Security; without any there is no header. */
  readonly strictTransportSecurity?: readonly string[];
}

/**
 * Every stage of a request, in order. ARCHITECTURE.md prints this list, and pipeline.test.ts compares the
 * two.
 */
export const pipeline = (parts: PipelineParts): readonly Stage[] => [
  transportSecurity(parts),
  cors(parts),
  auditId(parts),
  flowHeaders,
  prettyPrint,
  countRequests(parts),
  trace(parts),
  drain(parts),
  rejectMalformedPath,
  limitTime(parts),
  audit(parts),
  translateErrors(parts),
  authenticateCaller(parts),
  auditReceived(parts),
  impersonate(parts),
  parts.fairLimit ? limitFairly({ ...parts, ...parts.fairLimit }) : limitInFlight(parts),
  authorizeCaller(parts),
  delegate(parts),
  serveDocuments(parts),
  findKind(parts),
  runVerb(parts),
];
