import type { Transport, TransportRequest, TransportResponse } from "./transport.ts";

/** A response as a test writes it. */
export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: TransportResponse["headers"];
  /** Strings are sent as text, other values as JSON. */
  readonly body?: unknown;
  /** The batches of a stream; the function may wait between them. */
  readonly stream?: () => AsyncIterable<readonly unknown[]>;
}

/** A transport whose responses come from a function; it records the requests. */
export function scriptedTransport(
  answer: (request: TransportRequest) => ScriptedAnswer | Promise<ScriptedAnswer>,
): { readonly transport: Transport; readonly asked: TransportRequest[] } {
  const asked: TransportRequest[] = [];
  const transport: Transport = async (request) => {
    request.signal?.throwIfAborted();
    asked.push(request);
    const { status = 200, headers, body, stream } = await answer(request);
    return {
      status,
      headers: { "content-type": "application/json", ...headers },
      value: async () => body,
      async *values() {
        for await (const batch of stream?.() ?? []) {
          request.signal?.throwIfAborted();
          yield batch;
        }
      },
      async *bytes() {
        yield new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body));
      },
    };
  };
  return { transport, asked };
}

/** A Status response that rejects a request. */
export const refused = (code: number, reason: string, message = ""): ScriptedAnswer => ({
  status: code,
  body: { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message },
});
