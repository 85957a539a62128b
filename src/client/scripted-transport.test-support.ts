import type { Transport, TransportRequest, TransportResponse } from "./transport.ts";

/** An answer as a test writes it. */
export interface ScriptedAnswer {
  readonly status?: number;
  readonly headers?: TransportResponse["headers"];
  /** A value is JSON; text is itself. */
  readonly body?: unknown;
  /** What a stream brings, in the batches in which it does; a function may wait for something. */
  readonly stream?: () => AsyncIterable<readonly unknown[]>;
}

/** A transport to nobody, which answers as a function says and notes what it was asked. */
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

/** A refusal as servers send it. */
export const refused = (code: number, reason: string, message = ""): ScriptedAnswer => ({
  status: code,
  body: { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message },
});
