import { admin } from "../../src/apiserver/in-process.test-support.ts";
import type { ApiRequest, ApiResponse } from "../../src/apiserver/request/request.ts";
import {
  type AnswerStream,
  type GivenAnswer,
  type SeenCall,
  transportSuite,
} from "../../src/client/suite/transport-suite.ts";
import { inProcessTransport } from "../../src/cluster/in-process/in-process-transport.ts";
import { stringifyJson } from "../../src/schema/json/strict-json.ts";

transportSuite("in process", {
  isNetwork: false,
  async serve(answer) {
    const nothing = async (): Promise<void> => {};
    const transport = inProcessTransport(async (request) => given(answer(seen(request))), admin);
    return { transport, stop: nothing, close: nothing };
  },
});

function seen({ method, path, query, headers, body, value }: ApiRequest): SeenCall {
  const text =
    value === undefined ? new TextDecoder().decode(body as Uint8Array) : stringifyJson(value);
  return { method, path, query, headers, body: text };
}

function given({ status = 200, headers = {}, body = "" }: GivenAnswer): ApiResponse {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : { start: (sink) => begin(body, sink) },
  };
}

function begin(
  body: (out: AnswerStream) => void,
  sink: {
    write(chunk: Uint8Array | string): boolean;
    end(): void;
    onDrain(listener: () => void): void;
  },
): () => void {
  const closed: (() => void)[] = [];
  body({
    write: (chunk) => sink.write(chunk),
    end: () => sink.end(),
    breakOff: () => sink.end(),
    onDrain: (listener) => sink.onDrain(listener),
    onClose: (listener) => void closed.push(listener),
  });
  return () => {
    for (const tell of closed) tell();
  };
}
