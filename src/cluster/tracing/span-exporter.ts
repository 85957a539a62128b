import type { Span } from "../../apiserver/tracing/request-span.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Dial } from "../../platform/dial-socket.ts";
import { createGrpcClient } from "../../platform/grpc/grpc-client.ts";
import { exportSpans } from "./otlp-messages.ts";

export interface SpanExporterOptions {
  /** Where the collector is: `HOST:PORT`, or `unix://PATH`. */
  readonly address: string;
  /** Opens connections to it, other than to a socket; directly if not given. */
  readonly dial?: Dial | undefined;
  readonly service: { readonly name: string; readonly instance: string };
  readonly clock: Clock;
  readonly log: Log;
}

/** The limits of OpenTelemetry's batches. */
const batchSize = 512;
const mostWaiting = 2048;
const batchMs = 5000;
const exportMs = 30_000;

/** Sends spans to a collector, in batches; those that it does not take are dropped. */
export class SpanExporter {
  readonly #options: SpanExporterOptions;
  readonly #client;
  #waiting: Span[] = [];
  #dropped = 0;
  #timer: Timer | undefined;
  #sending: Promise<void> | undefined;

  constructor(options: SpanExporterOptions) {
    this.#options = options;
    this.#client = createGrpcClient({ address: options.address, dial: options.dial });
  }

  export(span: Span): void {
    if (this.#waiting.length >= mostWaiting) {
      this.#dropped++;
      return;
    }
    this.#waiting.push(span);
    if (this.#waiting.length >= batchSize) void this.#flush();
    else this.#timer ??= this.#options.clock.setTimer(batchMs, () => void this.#flush());
  }

  /** Sends what waits, then disconnects. */
  async close(): Promise<void> {
    await this.#flush();
    await this.#flush();
    this.#timer?.cancel();
    this.#client.close();
  }

  #flush(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#sending ??= this.#send().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  async #send(): Promise<void> {
    while (this.#waiting.length > 0) {
      const spans = this.#waiting.splice(0, batchSize);
      const dropped = this.#dropped;
      this.#dropped = 0;
      if (dropped > 0) this.#options.log.warn("spans were dropped", { count: dropped });
      try {
        await this.#client.unary(exportSpans, this.#request(spans), { timeoutMs: exportMs });
      } catch (error) {
        this.#options.log.error("exporting spans failed", error, { count: spans.length });
      }
    }
  }

  #request(spans: readonly Span[]) {
    const { service } = this.#options;
    return {
      resource_spans: [
        {
          resource: {
            attributes: keyValues({
              "service.name": service.name,
              "service.instance.id": service.instance,
            }),
          },
          scope_spans: [{ scope: { name: "wherry" }, spans: spans.map(spanMessage) }],
        },
      ],
    };
  }
}

const kinds = { internal: 1, server: 2, client: 3 } as const;
const errorCode = 2;

const spanMessage = (span: Span) => ({
  trace_id: fromHex(span.traceId),
  span_id: fromHex(span.spanId),
  ...(span.parentSpanId !== undefined && { parent_span_id: fromHex(span.parentSpanId) }),
  name: span.name,
  kind: kinds[span.kind ?? "server"],
  start_time_unix_nano: nanos(span.startMs),
  end_time_unix_nano: nanos(span.endMs),
  attributes: keyValues(span.attributes),
  links: span.link
    ? [{ trace_id: fromHex(span.link.traceId), span_id: fromHex(span.link.spanId) }]
    : [],
  ...(span.isError && { status: { code: errorCode } }),
});

const keyValues = (values: Span["attributes"]) =>
  Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === "number" ? { int_value: value } : { string_value: value },
  }));

const fromHex = (hex: string): Uint8Array => Buffer.from(hex, "hex");
const nanos = (ms: number): bigint => BigInt(Math.round(ms * 1000)) * 1000n;
