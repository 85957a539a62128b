import { connect } from "node:net";
import type { TLSSocket } from "node:tls";
import { abortReason } from "../../../base/abort-reason.ts";
import { dialSocket } from "../../../platform/dial-socket.ts";
import { quote } from "../../../schema/values/quote.ts";
import type { HttpGetRequest } from "../../pod/http-get/http-get-request.ts";
import { hostnameOf, portOf, urlText } from "../../pod/http-get/http-url.ts";
import { type AfterResponse, afterResponse } from "../../pod/http-get/redirect.ts";
import { checkHeaders } from "../../pod/http-get/request-head.ts";
import { type CutoffOptions, HttpCutoff } from "./http-cutoff.ts";
import type { Exchange, Exchanged } from "./http-exchange.ts";
import type { HttpResponseHead } from "./http-response-reader.ts";
import { http1Exchange } from "./http1-exchange.ts";
import { http2Exchange } from "./http2-exchange.ts";

export interface HttpGetOptions extends CutoffOptions {
  /** The protocols that are offered to a server with TLS. */
  readonly protocols: readonly ("h2" | "http/1.1")[];
  /** Further headers for HTTP/1.1. */
  readonly connectionHeaders: readonly string[];
}

/** How many bytes of a body are read. */
const mostBodyBytes = 10 * 1024;

/** The response to a request, after redirects. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: Buffer;
  /** Why the rest of the body could not be read, if so. */
  readonly bodyFault?: string | undefined;
}

/**
 * Sends a request through a connection of its own, without verifying the server, and follows redirects on the same
 * host. Rejects without a response, with a message like that of Go's client.
 */
export async function httpGet(first: HttpGetRequest, options: HttpGetOptions): Promise<HttpAnswer> {
  const { protocols, connectionHeaders } = options;
  const cutoff = new HttpCutoff(options);
  try {
    let request = first;
    for (let sent = 1; ; sent++) {
      let after = answers;
      const wantsBody = (head: HttpResponseHead): boolean => {
        after = afterResponse(request, head, { first: first.url, sent });
        return after.type === "answer";
      };
      const sending = { request, connectionHeaders, mostBodyBytes, wantsBody, cutoff };
      const { head, body, bodyFault } = await exchange(sending, protocols).catch((error: Error) => {
        const why = cutoff.reason(error.message, "awaiting headers");
        throw urlError(urlText(request.url), why);
      });
      const next: AfterResponse = after;
      if (next.type === "error") throw urlError(next.url, next.message);
      if (next.type === "redirect") request = next.request;
      else {
        const fault = bodyFault && cutoff.reason(bodyFault, "reading body");
        return { status: head.status, body, bodyFault: fault };
      }
    }
  } finally {
    cutoff.release();
  }
}

const answers: AfterResponse = { type: "answer" };

/** It says all of its cause, in Go's words. */
const urlError = (url: string, why: string): Error => new Error(`Get ${quote(url)}: ${why}`);

async function exchange(
  sending: Exchange,
  protocols: HttpGetOptions["protocols"],
): Promise<Exchanged> {
  const { url, headers } = sending.request;
  checkHeaders(headers);
  if (url.scheme !== "http" && url.scheme !== "https")
    throw new Error(`unsupported protocol scheme ${quote(url.scheme)}`);
  if (url.authority === "") throw new Error("http: no Host in request URL");
  const target = { host: hostnameOf(url), port: portOf(url) };
  if (url.scheme === "http") return http1Exchange(connect(target), target, sending);
  const dialling = new AbortController();
  sending.cutoff.guard(() => dialling.abort(abortReason));
  const { signal } = dialling;
  const socket = await dialSocket({ ...target, tls: { insecure: true } }, { signal, protocols });
  return (socket as TLSSocket).alpnProtocol === "h2"
    ? http2Exchange(socket, sending)
    : http1Exchange(socket, target, sending);
}
