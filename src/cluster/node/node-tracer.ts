import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import type { Handler } from "../../apiserver/request/request.ts";
import type { Span } from "../../apiserver/tracing/request-span.ts";
import { isInSample, parseTraceparent } from "../../apiserver/tracing/trace-context.ts";
import type { Clock } from "../../base/clock.ts";
import type { TracedStage, TraceStep } from "../../kubelet/pod/worker-times.ts";

/** Makes spans of what the agent of a node does. */
export interface NodeTracer {
  /** A span of each step of a pod's worker; the calls of the runtime in it are its children. */
  readonly step: TraceStep;
  /** A span of each request; callers are linked, because anybody may be one. */
  requests(handler: Handler): Handler;
  /** A span of each call of these methods of a service: `runtime.v1.RuntimeService/RunPodSandbox`. */
  calls<S extends object>(service: S, name: string, methods: readonly (keyof S & string)[]): S;
}

export interface NodeTracerOptions {
  /** How many of a million traces are exported. */
  readonly ratePerMillion: number;
  readonly clock: Clock;
  readonly exportSpan: (span: Span) => void;
}

/** The span in which something happens. */
interface Context {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** Creates a tracer. */
export function nodeTracer({ ratePerMillion, clock, exportSpan }: NodeTracerOptions): NodeTracer {
  const current = new AsyncLocalStorage<Context>();
  const begin = (parent: Context | undefined): Context => {
    const traceId = parent?.traceId ?? hex(16);
    const isSampled =
      parent?.isSampled ?? (ratePerMillion > 0 && isInSample(traceId, ratePerMillion));
    return { traceId, spanId: hex(8), isSampled };
  };
  /** Runs work within a span, which ends with it. */
  const within = async <T>(
    parent: Context | undefined,
    work: () => Promise<T>,
    describe: (outcome: T | undefined) => SpanContent,
  ): Promise<T> => {
    const { isSampled, ...ids } = begin(parent);
    const startMs = clock.now();
    const end = (outcome: T | undefined, hasFailed: boolean): void => {
      if (!isSampled) return;
      const content = describe(outcome);
      exportSpan({
        ...{ ...ids, ...content, startMs, endMs: clock.now() },
        parentSpanId: parent?.spanId,
        isError: hasFailed || (content.isError ?? false),
      });
    };
    return current.run({ ...ids, isSampled }, async () => {
      try {
        const outcome = await work();
        end(outcome, false);
        return outcome;
      } catch (error) {
        end(undefined, true);
        throw error;
      }
    });
  };
  return {
    step: ({ pod: { metadata }, stage }, work) =>
      within(undefined, work, () => ({
        kind: "internal",
        name: names[stage] ?? "syncPod",
        attributes: {
          "k8s.pod.uid": metadata.uid ?? "",
          "k8s.pod": `${metadata.namespace}/${metadata.name}`,
          "k8s.pod.name": metadata.name ?? "",
          "k8s.pod.update_type": stage,
          "k8s.namespace.name": metadata.namespace ?? "",
        },
      })),
    requests: (handler) => (request) =>
      within(
        undefined,
        async () => handler(request),
        (response) => {
          const status = response?.status ?? 500;
          return {
            kind: "server",
            name: `${request.method} /${request.path.split("/")[1] ?? ""}`,
            link: parseTraceparent(request.headers.traceparent),
            attributes: {
              "http.method": request.method,
              "http.target": request.path,
              "http.status_code": status,
            },
            isError: status >= 500,
          };
        },
      ),
    calls(service, name, methods) {
      const wrapped = new Map<string | symbol, unknown>();
      return new Proxy(service, {
        get(target, method) {
          const member: unknown = Reflect.get(target, method, target);
          if (typeof member !== "function" || !methods.includes(method as never)) {
            return typeof member === "function" ? member.bind(target) : member;
          }
          const known = wrapped.get(method);
          if (known !== undefined) return known;
          const call = member.bind(target) as (...args: readonly unknown[]) => Promise<unknown>;
          const traced = (...args: readonly unknown[]): Promise<unknown> =>
            within(
              current.getStore(),
              () => call(...args),
              () => ({
                kind: "client",
                name: `${name}/${capitalized(String(method))}`,
                attributes: { "rpc.system": "grpc", "rpc.service": name },
              }),
            );
          wrapped.set(method, traced);
          return traced;
        },
      });
    },
  };
}

type SpanContent = Pick<Span, "kind" | "name" | "attributes" | "link"> & {
  readonly isError?: boolean;
};

const names: Readonly<Partial<Record<TracedStage, string>>> = {
  terminating: "syncTerminatingPod",
  terminated: "syncTerminatedPod",
  ended: "syncTerminatedPod",
};

const hex = (bytes: number): string => randomBytes(bytes).toString("hex");
const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
