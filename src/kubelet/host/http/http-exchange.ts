import type { HttpGetRequest } from "../../pod/http-get/http-get-request.ts";
import type { HttpCutoff } from "./http-cutoff.ts";
import type { HttpResponseHead } from "./http-response-reader.ts";

/** One request through one connection. */
export interface Exchange {
  readonly request: HttpGetRequest;
  /** Further headers for HTTP/1.1. */
  readonly connectionHeaders: readonly string[];
  /** How many bytes of the body are read. */
  readonly mostBodyBytes: number;
  /** Whether the body of a response is needed. */
  wantsBody(head: HttpResponseHead): boolean;
  readonly cutoff: HttpCutoff;
}

/** The response to it. */
export interface Exchanged {
  readonly head: HttpResponseHead;
  readonly body: Buffer;
  /** Why the rest of the body could not be read, if so. */
  readonly bodyFault?: string | undefined;
}
