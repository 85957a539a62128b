import { pipeline, Readable } from "node:stream";
import { constants, createGzip } from "node:zlib";
import type { ApiHeaders, ApiResponse } from "../request/request.ts";

/** What decides whether a response is compressed. */
export interface Compressible {
  readonly path: string;
  /** Headers of the request. */
  readonly asked: ApiHeaders;
  readonly headers: ApiResponse["headers"];
  /** Bytes of the response. */
  readonly size: number;
}

/** Whether to compress: large objects, and metrics, for clients that accept gzip. */
export function wantsGzip({ path, asked, headers, size }: Compressible): boolean {
  if (!acceptsGzip(asked["accept-encoding"])) return false;
  if (headers["content-encoding"] !== undefined) return false;
  const type = String(headers["content-type"]);
  if (isMetrics(type)) return true;
  return size > threshold && objects.test(type) && !path.startsWith("/openapi/v3");
}

/** The headers of a compressed response. */
export function gzipHeaders(headers: ApiResponse["headers"]): ApiResponse["headers"] {
  const encoding = { ...headers, "content-encoding": "gzip" };
  if (isMetrics(String(headers["content-type"]))) return encoding;
  const { vary = [] } = headers;
  return { ...encoding, vary: [...(typeof vary === "string" ? [vary] : vary), "Accept-Encoding"] };
}

/** Compresses block by block, off the event loop; a block is made when there is room for it. */
export function gzipped(blocks: Iterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  // The reader of the result gets its errors; when it stops reading, no more blocks are made.
  pipeline(Readable.from(blocks, { objectMode: true, highWaterMark: 1 }), gzip, () => {});
  return gzip;
}

/** Upstream's threshold: compressing less is not worth the time. */
const threshold = 128 * 1024;

const objects = /^application\/(json|yaml|vnd\.kubernetes\.protobuf|com\.github\.proto-openapi)/;

const isMetrics = (type: string): boolean => type.startsWith("text/plain; version=0.0.4");

/** Ignores the quality values of encodings, as upstream does. */
const acceptsGzip = (encodings: string | undefined): boolean =>
  encodings?.split(",").some((token) => token.trim() === "gzip") ?? false;
