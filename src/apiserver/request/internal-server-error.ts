import { quote } from "../../schema/values/quote.ts";
import { withoutMarkup } from "../authorization/authorize.ts";
import type { ApiRequest, ApiResponse } from "./request.ts";
import { textResponse } from "./respond.ts";

/** Upstream's response where the server fails before it knows what is requested. */
export function internalServerError({ path, query }: ApiRequest, why: string): ApiResponse {
  const uri = query === "" ? path : `${path}?${query}`;
  return textResponse(500, `${withoutMarkup(`Internal Server Error: ${quote(uri)}: ${why}`)}\n`);
}
