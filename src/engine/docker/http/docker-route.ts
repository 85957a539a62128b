import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { JsonObject } from "./json-value.ts";

/** A request after routing. */
export interface DockerRequest {
  /** The parts of the path that its template names. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The minor version of the API that the client speaks. */
  readonly apiMinor: number;
  /** The bytes of the body, for requests whose body is not JSON. */
  readonly body: Readable;
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal;
  /** The body as a JSON object; undefined if it is empty. */
  json(): Promise<JsonObject | undefined>;
}

/** At most one of the kinds of body is present. */
export interface DockerResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly json?: unknown;
  readonly text?: string | undefined;
  /** Writes a body of unknown length; the headers are sent first. */
  readonly stream?: ((output: DockerOutput) => Promise<void>) | undefined;
  /** Takes over the connection, in both directions. */
  readonly hijack?: ((connection: HijackedConnection) => Promise<void>) | undefined;
}

export interface DockerOutput {
  /** Resolves when more can be written. */
  write(bytes: Uint8Array | string): Promise<void>;
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal;
}

export interface HijackedConnection extends DockerOutput {
  /** Ends when the client has sent all its input. */
  readonly input: AsyncIterable<Uint8Array>;
}

export type DockerHandler = (request: DockerRequest) => Promise<DockerResponse> | DockerResponse;

/** A handler and the requests it is for. */
export interface DockerRoute {
  readonly method: string;
  /** Such as `/containers/{id}/json`; `{name...}` also matches slashes. */
  readonly template: string;
  readonly handle: DockerHandler;
}

/** Declares a route: `route("GET /containers/{id}/json", handler)`. */
export function route(pattern: string, handle: DockerHandler): DockerRoute {
  const [method = "", template = ""] = pattern.split(" ");
  return { method, template, handle };
}
