import type { Counter, Family, Gauge, Histogram, Metrics } from "../../base/metrics.ts";
import type { AnyKind } from "../objects/object.ts";
import type { ApiResponse } from "../request/request.ts";
import type { RequestState } from "../request/request-state.ts";
import { documentLabels, type RequestLabels, removedIn, resourceLabels } from "./request-labels.ts";

/** How a request ended. */
export interface RequestOutcome {
  readonly status: number;
  /** Bytes of the response. */
  readonly size: number;
  readonly seconds: number;
}

/** The metrics of requests: how many, how long, how large. */
export class RequestMetrics {
  readonly #total: Family<Counter>;
  readonly #duration: Family<Histogram>;
  readonly #sliDuration: Family<Histogram>;
  readonly #responseSizes: Family<Histogram>;
  readonly #bodySizes: Family<Histogram>;
  readonly #longRunning: Family<Gauge>;
  readonly #terminations: Family<Counter>;
  readonly #deprecated: Family<Gauge>;
  readonly #late: Family<Counter>;
  /** The series of a kind, by verb, subresource, scope and dry run: looking them up by labels is slower. */
  readonly #ofKind = new WeakMap<AnyKind, Map<string, RequestSeries>>();

  constructor(metrics: Metrics) {
    this.#total = metrics.counter(total);
    this.#duration = metrics.histogram(duration);
    this.#sliDuration = metrics.histogram(sliDuration);
    this.#responseSizes = metrics.histogram(responseSizes);
    this.#bodySizes = metrics.histogram(bodySizes);
    this.#longRunning = metrics.gauge(longRunning);
    this.#terminations = metrics.counter(terminations);
    this.#deprecated = metrics.gauge(deprecated);
    this.#late = metrics.counter(late);
  }

  /** Counts a finished request for a served kind. */
  answered(state: RequestState, kind: AnyKind, outcome: RequestOutcome): void {
    const { target, request } = state;
    // Upstream has no route, and so no metric, for a verb that a kind does not have.
    if (target.type !== "resource" || outcome.status === 405) return;
    const { subresource } = target.resource;
    const labels = resourceLabels(state, target.resource);
    const series = this.#seriesOf(kind, subresource, labels);
    series.count(outcome);
    if (labels.dryRun === "") series.sliDuration.observe(outcome.seconds);
    if (labels.verb === "GET" || labels.verb === "LIST") series.size.observe(outcome.size);
    if (request.body) series.body(request.method, request.body.length);
    if (kind.deprecated)
      this.#deprecated
        .of(kind.group, kind.version, kind.plural, subresource, removedIn(kind))
        .set(1);
  }

  /** Counts a request for a document, such as the server's health. */
  document(state: RequestState, document: InstrumentedDocument, outcome: RequestOutcome): void {
    const { verb, dryRun } = documentLabels(state);
    const { name, component, group = "", version = "", resource = "" } = document;
    const { status, seconds, size } = outcome;
    const place = [group, version, resource, name, "", component] as const;
    this.#total.of(verb, dryRun, ...place, String(status)).add(1);
    this.#duration.of(verb, dryRun, ...place).observe(seconds);
    if (dryRun === "") this.#sliDuration.of(verb, ...place).observe(seconds);
    this.#responseSizes.of(verb, ...place).observe(size);
    if (version === "v1alpha1") this.#deprecated.of(group, version, resource, name, "").set(1);
  }

  /** Counts a request that was rejected beyond the limit in flight, or timed out. */
  terminated(state: RequestState, kind: AnyKind | undefined, status: number): void {
    const { target } = state;
    const isResource = target.type === "resource";
    const { verb, scope, dryRun } = isResource
      ? resourceLabels(state, target.resource)
      : documentLabels(state);
    const subresource = isResource && kind ? target.resource.subresource : "";
    const { group = "", version = "", plural = "" } = kind ?? {};
    const place = [group, version, plural, subresource, scope, component] as const;
    this.#terminations.of(verb, ...place, String(status)).add(1);
    if (status === 429) this.#total.of(verb, dryRun, ...place, "429").add(1);
  }

  /** Counts the end of the work for a request that had timed out. */
  endedLate(): void {
    this.#late.of("timeout-handler", "ok").add(1);
  }

  /** Counts a long-running request; the returned function counts its end. */
  begun(state: RequestState, kind: AnyKind): () => void {
    if (state.target.type !== "resource") return () => {};
    const { resource } = state.target;
    const { verb, scope } = resourceLabels(state, resource);
    const { group, version, plural } = kind;
    const gauge = this.#longRunning.of(
      verb,
      group,
      version,
      plural,
      resource.subresource,
      scope,
      component,
    );
    gauge.add(1);
    return () => gauge.add(-1);
  }

  #seriesOf(kind: AnyKind, subresource: string, labels: RequestLabels): RequestSeries {
    const { verb, scope, dryRun } = labels;
    let known = this.#ofKind.get(kind);
    if (!known) {
      known = new Map();
      this.#ofKind.set(kind, known);
    }
    const key = `${verb} ${subresource} ${scope} ${dryRun}`;
    let series = known.get(key);
    if (!series) {
      series = this.#series(kind, subresource, labels);
      known.set(key, series);
    }
    return series;
  }

  #series(kind: AnyKind, subresource: string, labels: RequestLabels): RequestSeries {
    const { verb, scope, dryRun } = labels;
    const { group, version, plural } = kind;
    const place = [group, version, plural, subresource, scope, component] as const;
    const once = <M>(make: () => M) => {
      let made: M | undefined;
      return (): M => {
        made ??= make();
        return made;
      };
    };
    const size = once(() => this.#responseSizes.of(verb, ...place));
    const sli = once(() => this.#sliDuration.of(verb, ...place));
    const duration = this.#duration.of(verb, dryRun, ...place);
    const codes = new Map<number, Counter>();
    return {
      count({ status, seconds }) {
        let code = codes.get(status);
        if (!code) {
          code = this.codeOf(status);
          codes.set(status, code);
        }
        code.add(1);
        duration.observe(seconds);
      },
      codeOf: (status) => this.#total.of(verb, dryRun, ...place, String(status)),
      sliDuration: { observe: (value) => sli().observe(value) },
      size: { observe: (value) => size().observe(value) },
      body: (method, bytes) => {
        const named = bodyVerbs[method];
        if (named) this.#bodySizes.of(group, plural, named).observe(bytes);
      },
    };
  }
}

/** A document whose requests are counted, with upstream's labels. */
export interface InstrumentedDocument {
  readonly name: string;
  readonly component: string;
  /** The group of the kind in the response, if it has one. */
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
}

/** The labels of requests for a path that is not a resource's; undefined where upstream does not count them. */
export function instrumentedDocument(
  path: string,
  contentType: string,
): InstrumentedDocument | undefined {
  if (path === "/flagz" || path === "/statusz") {
    const [, group = "", version = ""] = /;g=([^;]*);v=([^;]*);/.exec(contentType) ?? [];
    return { name: "", component, group, version, resource: path.slice(1) };
  }
  const bare = path.replace(/\/+$/, "");
  if (/^\/(healthz|livez|readyz)$/.test(bare)) return { name: bare, component: "" };
  if (/^\/apis?$/.test(bare)) return { name: bare, component };
  if (bare === "/openapi/v3") return { name: "openapi/v3", component: "" };
  if (bare.startsWith("/openapi/v3/")) return { name: "openapi/v3/", component: "" };
  return undefined;
}

/** Bytes of a response; 0 for a stream. */
export function sizeOf(body: ApiResponse["body"]): number {
  if (body === undefined) return 0;
  if (typeof body === "string" || body instanceof Uint8Array) return body.length;
  if (!Array.isArray(body)) return 0;
  let size = 0;
  for (const piece of body as readonly (Uint8Array | string)[]) size += piece.length;
  return size;
}

interface RequestSeries {
  count(outcome: RequestOutcome): void;
  codeOf(status: number): Counter;
  readonly sliDuration: Histogram;
  readonly size: Histogram;
  body(method: string, bytes: number): void;
}

const component = "apiserver";

const bodyVerbs: Readonly<Record<string, string>> = {
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

const place = ["group", "version", "resource", "subresource", "scope", "component"] as const;

const total = {
  name: "apiserver_request_total",
  help: "Requests that were answered.",
  stability: "STABLE",
  labels: ["verb", "dry_run", ...place, "code"],
} as const;

const duration = {
  name: "apiserver_request_duration_seconds",
  help: "Seconds from the arrival of a request to the end of its answer.",
  stability: "STABLE",
  labels: ["verb", "dry_run", ...place],
  buckets: [
    0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45,
    60,
  ],
} as const;

const sliDuration = {
  name: "apiserver_request_sli_duration_seconds",
  help: "The same without what webhooks and waiting in queues took.",
  stability: "ALPHA",
  labels: ["verb", ...place],
  buckets: duration.buckets.slice(2),
} as const;

const responseSizes = {
  name: "apiserver_response_sizes",
  help: "Bytes of answers.",
  stability: "STABLE",
  labels: ["verb", ...place],
  buckets: [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9],
} as const;

const bodySizes = {
  name: "apiserver_request_body_size_bytes",
  help: "Bytes of what clients sent, by resource and verb.",
  stability: "ALPHA",
  labels: ["group", "resource", "verb"],
  buckets: Array.from({ length: 31 }, (_, i) => 50_000 + i * 100_000),
} as const;

const longRunning = {
  name: "apiserver_longrunning_requests",
  help: "Requests made to last, such as watches, that are running.",
  stability: "STABLE",
  labels: ["verb", ...place],
} as const;

const terminations = {
  name: "apiserver_request_terminations_total",
  help: "Requests that the server ended or refused to protect itself.",
  stability: "ALPHA",
  labels: ["verb", ...place, "code"],
} as const;

const late = {
  name: "apiserver_request_post_timeout_total",
  help: "Requests whose work ended after they had been given up.",
  stability: "ALPHA",
  labels: ["source", "status"],
} as const;

const deprecated = {
  name: "apiserver_requested_deprecated_apis",
  help: "1 for every API that somebody asked for although it is to go.",
  stability: "STABLE",
  labels: ["group", "version", "resource", "subresource", "removed_release"],
} as const;
