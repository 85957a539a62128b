import { expired, type StatusError, statusOf } from "../../api/meta/v1/status-error.ts";
import { type Clock, sleep } from "../../base/clock.ts";
import { type Transport, TransportError, type TransportResponse } from "../../client/transport.ts";
import type { Fault, FaultyCall } from "./fault.ts";
import { faultyCall } from "./faulty-call.ts";

export interface FaultyTransportOptions {
  readonly who: Pick<FaultyCall, "component" | "user">;
  readonly clock: Clock;
  /** Returns the fault of a request. */
  readonly faultOf: (call: FaultyCall) => Fault | undefined;
  /** Kills the component that sends the request. */
  readonly crash?: (() => void) | undefined;
  /** Whether the component was killed meanwhile; it then sends no requests. */
  readonly isOver?: (() => boolean) | undefined;
}

/** Wraps a transport with faults. */
export function faultyTransport(transport: Transport, options: FaultyTransportOptions): Transport {
  const { who, clock, faultOf, crash, isOver } = options;
  return async (request) => {
    const call = faultyCall(request, who);
    const fault = faultOf(call);
    const made = async (): Promise<void> => {
      // A watch has no effect on the server, and its response does not end.
      if (call.verb !== "watch") await drained(await transport(request));
    };
    switch (fault?.type) {
      case undefined:
        return transport(request);
      case "fail":
        if (fault.error) return refusal(fault.error);
        throw new TransportError("connect: connection refused");
      case "lose-response":
        await made();
        throw new TransportError("read: connection reset by peer");
      case "delay": {
        const { ms } = fault;
        await sleep(clock, ms, request.signal);
        if (isOver?.()) return never;
        return late(await transport(request), () => sleep(clock, ms, request.signal));
      }
      case "break":
        return transport({ ...request, signal: endingAfter(fault.afterMs, clock, request.signal) });
      case "expire":
        return answer(200, {
          type: "ERROR",
          object: statusOf(expired("too old resource version: 1 (2)")),
        });
      case "crash": {
        if (fault.when === "after") await made();
        crash?.();
        return never;
      }
    }
  };
}

const never = new Promise<never>(() => {});

/** A request has taken effect once its response is complete. */
async function drained(response: TransportResponse): Promise<void> {
  await response.value().catch(() => undefined);
}

function answer(status: number, value: unknown): TransportResponse {
  return {
    status,
    headers: { "content-type": "application/json" },
    value: async () => value,
    async *values() {
      yield [value];
    },
    async *bytes() {
      yield new TextEncoder().encode(JSON.stringify(value));
    },
  };
}

const refusal = (error: StatusError): TransportResponse => answer(error.code, statusOf(error));

/** Returns a signal that aborts after a while, like a broken connection. */
function endingAfter(ms: number, clock: Clock, signal?: AbortSignal): AbortSignal {
  const end = new AbortController();
  sleep(clock, ms, signal).then(
    () => end.abort(new TransportError("unexpected EOF")),
    () => undefined,
  );
  return signal ? AbortSignal.any([signal, end.signal]) : end.signal;
}

/** Delays each event of a stream, in order. */
function late(response: TransportResponse, wait: () => Promise<void>): TransportResponse {
  return {
    ...response,
    async *values() {
      for await (const values of response.values()) {
        await wait();
        yield values;
      }
    },
  };
}
