import type { Clock } from "../../base/clock.ts";
import type { Entropy } from "../../base/entropy.ts";
import { auditedUri } from "../audit/audited-uri.ts";
import type { User } from "../request/identity.ts";
import type { ApiResponse } from "../request/request.ts";
import type { ResourcePath } from "../request/request-info.ts";
import type { RequestState } from "../request/request-state.ts";
import { isInSample, parseTraceparent, type TraceContext } from "./trace-context.ts";

/** What a server did for a request, for traces. */
export interface RequestSpan extends Span {
  readonly kind?: "server" | undefined;
}

/** A piece of work of a component, for traces. */
export interface Span {
  /** By default, a request that was served. */
  readonly kind?: "server" | "client" | "internal" | undefined;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  /** The span of a caller that may not choose what is sampled. */
  readonly link?: TraceContext | undefined;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly isError: boolean;
}

export interface TracingOptions {
  /** How many of a million requests are exported, of those whose caller does not choose. */
  readonly ratePerMillion: number;
  export(span: RequestSpan): void;
}

/** The span of a request that has its response; undefined if it is not in the sample. */
export function requestSpan(
  state: RequestState,
  response: ApiResponse,
  {
    ratePerMillion,
    clock,
    entropy,
  }: { readonly ratePerMillion: number; readonly clock: Clock; readonly entropy: Entropy },
): RequestSpan | undefined {
  const { request } = state;
  const caller = parseTraceparent(request.headers.traceparent);
  const parent =
    caller && state.isAuthenticated && maySample(state.attributes.user) ? caller : undefined;
  if (parent ? !parent.isSampled : ratePerMillion <= 0) return undefined;
  const traceId = parent?.traceId ?? randomId(entropy, 32);
  if (!parent && !isInSample(traceId, ratePerMillion)) return undefined;
  const endMs = clock.now();
  const { auditId } = state;
  return {
    traceId,
    spanId: randomId(entropy, 16),
    parentSpanId: parent?.spanId,
    link: parent ? undefined : caller,
    name: spanName(state),
    startMs: endMs - state.elapsed() * 1000,
    endMs,
    attributes: {
      "http.method": request.method,
      "http.target": auditedUri(request),
      "http.status_code": response.status,
      ...(request.remoteAddress !== "" && { "net.sock.peer.addr": request.remoteAddress }),
      ...(request.headers["user-agent"] && {
        "user_agent.original": request.headers["user-agent"],
      }),
      ...(auditId !== undefined && { "audit-id": auditId }),
    },
    isError: response.status >= 500,
  };
}

/** Callers whose spans are the parents of the server's; others could fill the traces. */
const maySample = ({ groups }: User): boolean =>
  groups.includes("system:masters") || groups.includes("system:monitoring");

/** The name without what varies, as in `GET /api/v1/namespaces/{:namespace}/pods/{:name}`. */
function spanName({ request: { method }, target }: RequestState): string {
  return target.type === "other" ? method : `${method} ${pathName(target.resource)}`;
}

const pathName = ({ group, version, namespace, resource, name, subresource }: ResourcePath) =>
  [
    group === "" ? "/api" : `/apis/${group}`,
    `/${version}`,
    namespace === "" ? "" : "/namespaces/{:namespace}",
    `/${resource}`,
    name === "" ? "" : "/{:name}",
    subresource === "" ? "" : `/${subresource}`,
  ].join("");

/** Random hexadecimal digits; a UUID has twelve at its end. */
function randomId(entropy: Entropy, length: number): string {
  let id = "";
  while (id.length < length) id += entropy.uuid().slice(-12);
  const cut = id.slice(0, length);
  return /^0+$/.test(cut) ? randomId(entropy, length) : cut;
}
