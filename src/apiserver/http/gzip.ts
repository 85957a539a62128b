import { pipeline, Readable } from "node:stream";
import { constants, createGzip } from "node:zlib";
import type { ApiHeaders, ApiResponse } from "../request/request.ts";

/** What it depends on whether an answer is compressed. */
export interface Compressible {
  readonly path: string;
  /** Those of the request. */
  readonly asked: ApiHeaders;
  readonly headers: ApiResponse["headers"];
  /** Bytes of the answer. */
  readonly size: number;
}

/** Whether to compress: large objects, and metrics, for a client that takes it. */
export function wantsGzip({ path, asked, headers, size }: Compressible): boolean {
  if (!acceptsGzip(asked["accept-encoding"])) return false;
  if (headers["content-encoding"] !== undefined) return false;
  const type = String(headers["content-type"]);
  if (isMetrics(type)) return true;
  return size > threshold && objects.test(type) && !path.startsWith("/openapi/v3");
}

/** The headers of an answer that is compressed. */
export function gzipHeaders(headers: ApiResponse["headers"]): ApiResponse["headers"] {
  const encoding = { ...headers, "content-encoding": "gzip" };
  if (isMetrics(String(headers["content-type"]))) return encoding;
  const { vary = [] } = headers;
  return { ...encoding, vary: [...(typeof vary === "string" ? [vary] : vary), "Accept-Encoding"] };
}

/** Compresses block by block, beside the event loop; a block is made when there is room for it. */
export function gzipped(blocks: Iterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  // Who reads it sees its errors; one that is given up ends the blocks, too.
  pipeline(Readable.from(blocks, { objectMode: true, highWaterMark: 1 }), gzip, () => {});
  return gzip;
}

/** Below it, as upstream found, it is not worth the time. */
const threshold = 128 * 1024;

const objects = /^application\/(json|yaml|vnd\.kubernetes\.protobuf|com\.github\.proto-openapi)/;

const isMetrics = (type: string): boolean => type.startsWith("text/plain; version=0.0.4");

/** As upstream reads it: without regard to preferences. */
const acceptsGzip = (encodings: string | undefined): boolean =>
  encodings?.split(",").some((token) => token.trim() === "gzip") ?? false;
