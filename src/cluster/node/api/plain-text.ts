import type { ApiResponse } from "../../../apiserver/request/request.ts";

/** A response in plain text, as Go's server recognizes it. */
export const plainText = (status: number, text: string): ApiResponse => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body: text,
});
