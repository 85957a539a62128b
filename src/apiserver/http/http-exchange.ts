import type { Readable, Writable } from "node:stream";
import type { Link, LinkedList } from "../../base/linked-list.ts";
import type { Log } from "../../base/log.ts";
import type { ByteStream } from "../../base/network.ts";
import { passesBody } from "../connect/connect-request.ts";
import type { ApiHeaders, ApiRequest, ApiResponse, Handler } from "../request/request.ts";
import { crashed, timedOut, tooLarge } from "./answers.ts";
import { gzipHeaders, gzipped, wantsGzip } from "./gzip.ts";
import type { Limits } from "./limits.ts";
import type { PeerIdentity, VerifiedPeer } from "./peer.ts";
import { readBody } from "./read-body.ts";
import { readOn } from "./read-on.ts";
import { fixedBody, isLive, sendFixed, sendLive } from "./send-body.ts";

/** What all requests of a server share. */
export interface Service {
  readonly handler: Handler;
  readonly limits: Limits;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Whether a request is for another server, so that its body is passed on as it arrives. */
  readonly isProxied?: ((path: string) => boolean) | undefined;
  /** Whether the HTTP/2 client of a request should reconnect. */
  readonly goaway?: (() => boolean) | undefined;
  /** The requests in progress, for which an orderly stop waits. */
  readonly active: LinkedList<Exchange>;
  /** True once the server is stopping. */
  stopping: boolean;
}

/** What all requests of one connection share. */
export interface Connection {
  readonly service: Service;
  readonly identity: PeerIdentity;
  readonly remoteAddress: string;
  /** How many of them are in progress. */
  open: number;
}

/** The first part of a request, the same for every version of HTTP. */
export interface RequestHead {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly url: string;
  readonly headers: ApiHeaders;
  /** Names and values alternate, in the order of arrival. */
  readonly rawHeaders: readonly string[];
}

/** Status and headers of a response. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: ApiResponse["headers"];
  /** The body's size where it is known, also when the body itself is not sent. */
  readonly size: number | undefined;
  /** True when nothing follows. */
  readonly last: boolean;
}

/** One request and its response, from the arrival of the headers until the response is sent or given up. */
export abstract class Exchange implements ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: ApiHeaders;
  readonly rawHeaders: readonly string[];
  body: Uint8Array | undefined = undefined;
  incoming: AsyncIterable<Uint8Array> | undefined = undefined;
  readonly remoteAddress: string;
  readonly peer: VerifiedPeer | undefined;
  /** Why the client's certificate is invalid; such a request is rejected, not anonymous. */
  readonly peerError: string | undefined;
  protected readonly service: Service;
  readonly #connection: Connection;
  readonly #target: Writable;
  readonly #place: Link<Exchange>;
  /** Created on first use: most requests never need one. */
  #controller: AbortController | undefined = undefined;
  #aborted: boolean = false;
  /** True once the whole response is with the socket: closing it no longer aborts the request. */
  #answered: boolean = false;
  #stop: (() => void) | undefined = undefined;

  constructor(connection: Connection, head: RequestHead, target: Writable) {
    const { identity, service } = connection;
    const expired = service.now() > identity.validUntil;
    const mark = head.url.indexOf("?");
    this.method = head.method;
    this.path = mark < 0 ? head.url : head.url.slice(0, mark);
    this.query = mark < 0 ? "" : head.url.slice(mark + 1);
    this.headers = head.headers;
    this.rawHeaders = head.rawHeaders;
    this.remoteAddress = connection.remoteAddress;
    this.peer = expired ? undefined : identity.peer;
    this.peerError = expired ? "CERT_HAS_EXPIRED" : identity.error;
    this.service = service;
    this.#connection = connection;
    this.#target = target;
    connection.open++;
    this.#place = service.active.add(this);
    // A client may reset its request at any time, which is not an error here; `close` follows.
    target.on("error", ignore);
    target.on("close", () => this.#closed());
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  /** Sends status and headers. */
  protected abstract sendHead(head: ResponseHead): void;

  /** Sends 100 Continue to a client that waits for it before it sends the body. */
  protected abstract sendContinue(): void;

  /** Sends status and headers, and returns the connection, which is no longer HTTP. */
  protected abstract handOver(response: ApiResponse): ByteStream;

  /** Responds without having read the body, and makes the client stop sending. */
  protected abstract refuse(response: ApiResponse): void;

  /** Reads the body, then calls the handler. */
  receive(source: Readable): void {
    const { limits } = this.service;
    const { "content-length": size, expect } = this.headers;
    if (passesBody(this.path) || this.service.isProxied?.(this.path)) {
      if (expect?.toLowerCase() === "100-continue") this.sendContinue();
      this.incoming = readOn(source, this.#target);
      this.serve();
      return;
    }
    if (size !== undefined && Number(size) > limits.bodyBytes) {
      this.refuse(tooLarge(limits.bodyBytes));
      return;
    }
    if (expect?.toLowerCase() === "100-continue") this.sendContinue();
    readBody(source, limits, (outcome) => {
      if (outcome === "too large") this.refuse(tooLarge(limits.bodyBytes));
      else if (outcome === "timed out") this.refuse(timedOut());
      else if (outcome !== "gone") {
        if (outcome.length > 0) this.body = outcome;
        this.serve();
      }
    });
  }

  /** Calls the handler, once the body has arrived. */
  serve(): void {
    try {
      const outcome = this.service.handler(this);
      if (outcome instanceof Promise) {
        outcome.then(
          (response) => this.respond(response),
          (error) => this.#fail(error),
        );
      } else this.respond(outcome);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Sends a response, unless the client has gone. */
  respond(response: ApiResponse): void {
    if (this.#target.destroyed) return;
    try {
      this.#send(response);
    } catch (error) {
      this.service.log.error("sending a response failed", error, { path: this.path });
      this.#target.destroy(new Error("the response was cut off", { cause: error }));
    }
  }

  /** Whether the response has no end of its own, such as a watch. */
  get isStream(): boolean {
    return this.#stop !== undefined;
  }

  /** Ends a response that has no end of its own, such as a watch; any other may finish. */
  endStream(): void {
    if (this.#stop === undefined) return;
    this.abort();
    this.#stop();
  }

  /** Aborts the signal: nobody waits for the response any more. */
  abort(): void {
    this.#aborted = true;
    this.#controller?.abort();
  }

  /** Breaks the response off, so that the client sees it fail. */
  cutOff(): void {
    this.abort();
    this.#target.destroy(new Error("the server stops"));
  }

  #send(response: ApiResponse): void {
    const { status, headers: given, body, isPatient = false } = response;
    if (response.takeOver) {
      this.#goOn(this.handOver(response), response.takeOver);
      return;
    }
    const headers = given.warning === undefined ? given : withBytes(given);
    const bodiless = this.method === "HEAD" || status === 204 || status === 304;
    if (isLive(body)) {
      this.sendHead({ status, headers, size: undefined, last: bodiless });
      if (!bodiless) this.#stream(body, isPatient);
      return;
    }
    const fixed = fixedBody(body);
    const compressible = { path: this.path, asked: this.headers, headers, size: fixed.size };
    if (!bodiless && wantsGzip(compressible)) {
      this.sendHead({ status, headers: gzipHeaders(headers), size: undefined, last: false });
      this.#answered = true;
      this.#sendLive(gzipped(fixed.blocks), isPatient);
      return;
    }
    const size = status === 204 || status === 304 ? undefined : fixed.size;
    const last = bodiless || fixed.size === 0;
    this.sendHead({ status, headers, size, last });
    this.#answered = true;
    if (!last) sendFixed(this.#target, fixed, this.service.limits.stallTimeout);
  }

  #goOn(client: ByteStream, takeOver: (client: ByteStream) => Promise<void>): void {
    this.#stop = () => client.destroy();
    takeOver(client).catch((error: unknown) => {
      this.service.log.error("upgraded connection failed", error, { path: this.path });
      client.destroy();
    });
    if (this.service.stopping) this.endStream();
  }

  #stream(body: Parameters<typeof sendLive>[1], isPatient: boolean): void {
    this.#stop = this.#sendLive(body, isPatient);
    if (this.service.stopping) this.endStream();
  }

  #sendLive(body: Parameters<typeof sendLive>[1], isPatient: boolean): () => void {
    return sendLive(this.#target, body, {
      stallTimeout: isPatient ? undefined : this.service.limits.stallTimeout,
      onError: (error) => {
        this.service.log.error("streaming a response failed", error, { path: this.path });
      },
    });
  }

  #fail(error: unknown): void {
    this.service.log.error("the request handler failed", error, {
      method: this.method,
      path: this.path,
    });
    this.respond(crashed());
  }

  #closed(): void {
    this.#connection.open--;
    this.service.active.remove(this.#place);
    if (!this.#answered) this.abort();
  }
}

/** Encodes warnings as UTF-8: Node writes each character of a header as one byte. */
function withBytes(headers: ApiResponse["headers"]): ApiResponse["headers"] {
  const bytes = (text: string): string => Buffer.from(text).toString("latin1");
  const { warning = [] } = headers;
  return { ...headers, warning: typeof warning === "string" ? bytes(warning) : warning.map(bytes) };
}

function ignore(): void {}
