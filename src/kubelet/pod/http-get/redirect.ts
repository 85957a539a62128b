import { quote } from "../../../schema/values/quote.ts";
import type { HttpGetRequest } from "./http-get-request.ts";
import { type HttpUrl, hostnameOf, isAbsolute, resolveLocation, urlText } from "./http-url.ts";

/** The parts of a response that can redirect. */
export interface RedirectingHead {
  readonly status: number;
  readonly location: string;
}

/** What follows a response. */
export type AfterResponse =
  /** Nothing: it is the answer. */
  | { readonly type: "answer" }
  | { readonly type: "redirect"; readonly request: HttpGetRequest }
  /** `url` is the address in the message. */
  | { readonly type: "error"; readonly url: string; readonly message: string };

export interface RedirectContext {
  /** The address of the first request: redirects to other hosts are not followed. */
  readonly first: HttpUrl;
  /** How many requests were sent. */
  readonly sent: number;
}

/** Decides what to do after the head of a response. */
export function afterResponse(
  request: HttpGetRequest,
  { status, location }: RedirectingHead,
  { first, sent }: RedirectContext,
): AfterResponse {
  if (!redirects.has(status) || location === "") return { type: "answer" };
  const url = resolveLocation(request.url, location);
  if (typeof url === "string") {
    const message = `failed to parse Location header ${quote(location)}: ${url}`;
    return { type: "error", url: urlText(request.url), message };
  }
  if (hostnameOf(url) !== hostnameOf(first)) return { type: "answer" };
  if (sent >= mostRequests)
    return { type: "error", url: location, message: `stopped after ${mostRequests} redirects` };
  // A Host that was set stays for locations on the same server.
  const isKept = request.host !== request.url.authority && !isAbsolute(location);
  const headers = new Map(request.headers);
  const isLeavingTls = request.url.scheme === "https" && url.scheme === "http";
  if (!isLeavingTls && !headers.has("Referer")) headers.set("Referer", [urlText(request.url)]);
  return { type: "redirect", request: { url, host: isKept ? request.host : "", headers } };
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const mostRequests = 10;
