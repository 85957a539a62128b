import type { Container } from "../../../api/core/v1/container/container.ts";
import type { HTTPGetAction } from "../../../api/core/v1/container/handler.ts";
import { parseGoUrl } from "../../../schema/values/go-url.ts";
import { containerPort } from "../probes/container-port.ts";
import { type HttpUrl, httpUrl, urlText } from "./http-url.ts";

/** The request of a probe or a hook. */
export interface HttpGetRequest {
  readonly url: HttpUrl;
  /** The header Host; empty for that of the address. */
  readonly host: string;
  readonly headers: HttpHeaders;
}

/** The values of headers by their canonical names. */
export type HttpHeaders = ReadonlyMap<string, readonly string[]>;

export interface HttpGetContext {
  readonly container: Container;
  readonly podIP: string;
  readonly purpose: "probe" | "lifecycle";
}

/** The request of an action; throws if its port or address is invalid. */
export function httpGetRequest(
  { scheme = "HTTP", host = "", port, path = "", httpHeaders = [] }: HTTPGetAction,
  { container, podIP, purpose }: HttpGetContext,
): HttpGetRequest {
  const url = httpUrl({
    scheme: scheme.toLowerCase() || "http",
    host: host || podIP,
    port: containerPort(port, container),
    path,
  });
  const parsed = parseGoUrl(urlText(url));
  if (typeof parsed === "string") throw new Error(parsed);
  const headers = new Map<string, string[]>();
  for (const { name, value } of httpHeaders) {
    const key = canonicalName(name);
    headers.set(key, [...(headers.get(key) ?? []), value]);
  }
  if (!headers.has("User-Agent")) headers.set("User-Agent", [`kube-${purpose}/1.36`]);
  if (!headers.has("Accept")) headers.set("Accept", ["*/*"]);
  else if (headers.get("Accept")?.[0] === "") headers.delete("Accept");
  return { url, host: headers.get("Host")?.[0] ?? "", headers };
}

/** The name of a header as Go writes it; one that is no valid name stays as it is. */
function canonicalName(name: string): string {
  if (!isHeaderName(name)) return name;
  return name.toLowerCase().replaceAll(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
}

/** Whether a text can be the name of a header. */
export const isHeaderName = (name: string): boolean => /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name);
