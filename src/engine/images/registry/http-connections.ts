import http from "node:http";
import https from "node:https";
import type { Readable } from "node:stream";
import { rootCertificates } from "node:tls";
import { dialMessage } from "../../../platform/dial-message.ts";
import { type ProxyEnvironment, proxyFor } from "./proxy-for.ts";
import { RegistryError } from "./registry-error.ts";
import { proxyAuthorization, TunnelAgent } from "./tunnel-agent.ts";

/** How a host proves who it is, and who we are. */
export interface HostTls {
  readonly ca?: readonly string[] | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** Whether any certificate is accepted. */
  readonly skipVerify?: boolean | undefined;
}

export interface HttpRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly tls?: HostTls | undefined;
  readonly body?: Uint8Array | { readonly stream: Readable; readonly length: number } | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whether a server that does not speak TLS is called without it. */
  readonly hasHttpFallback?: boolean | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Readable;
  /** Where the response came from, after redirects. */
  readonly url: URL;
}

/** Connections to registries, kept open between requests until `close`. */
export class HttpConnections {
  readonly #stallMs: number;
  readonly #env: ProxyEnvironment;
  /** By the JSON of their settings. */
  readonly #agents = new Map<string, https.Agent>();
  readonly #plain = new http.Agent({ keepAlive: true, timeout: idleMs });
  /** Hosts that do not speak TLS. */
  readonly #withoutTls = new Set<string>();

  /** The environment names proxies; without one, none is used. */
  constructor(stallMs: number, env: ProxyEnvironment = {}) {
    this.#stallMs = stallMs;
    this.#env = env;
  }

  /**
   * Sends a request and follows redirects. Headers, which may hold credentials, are not sent to another
   * host, nor without the encryption that the first request had.
   */
  async send(request: HttpRequest): Promise<HttpResponse> {
    let { url, headers, tls } = request;
    for (let redirects = 0; ; redirects++) {
      const response = await this.#sendOnce({ ...request, url, headers, tls });
      const { location } = response.headers;
      if (!isRedirect(response.status) || location === undefined || !isSafe(request.method))
        return response;
      response.body.resume();
      if (redirects >= mostRedirects) throw unreachable(request, "stopped after 10 redirects");
      const next = redirectTarget(location, response.url, request);
      if (next.origin !== response.url.origin) {
        headers = onlyNegotiation(headers);
        tls = undefined;
      }
      url = next;
    }
  }

  close(): void {
    this.#plain.destroy();
    for (const agent of this.#agents.values()) agent.destroy();
  }

  async #sendOnce(request: HttpRequest): Promise<HttpResponse> {
    const { url, hasHttpFallback = false } = request;
    if (!hasHttpFallback || url.protocol !== "https:") return this.#exchange(request);
    if (!this.#withoutTls.has(url.host))
      try {
        return await this.#exchange(request);
      } catch (error) {
        if (!(error instanceof RegistryError) || !speaksNoTls(error)) throw error;
        this.#withoutTls.add(url.host);
      }
    return this.#exchange({ ...request, url: new URL(url.href.replace(/^https/, "http")) });
  }

  #exchange(request: HttpRequest): Promise<HttpResponse> {
    const { method, url, headers, body, signal, tls } = request;
    const length = body === undefined ? {} : { "Content-Length": String(bodyLength(body)) };
    const options = { method, headers: { ...headers, ...length }, signal };
    return new Promise((resolve, reject) => {
      const sent = this.#request(url, options, tls);
      let received: Readable | undefined;
      sent.setTimeout(this.#stallMs, () => {
        const stalled = new StalledError(`no progress in ${this.#stallMs / 1000}s`);
        if (received === undefined) sent.destroy(stalled);
        else received.destroy(stalled);
      });
      sent.once("response", (response) => {
        received = response;
        // Without a reader, the error of a broken connection would be unhandled.
        response.on("error", () => undefined);
        resolve({
          status: response.statusCode ?? 0,
          statusText: `${response.statusCode} ${response.statusMessage ?? ""}`.trim(),
          headers: response.headers,
          body: response,
          url,
        });
      });
      sent.on("error", (error) => {
        if (signal?.aborted) reject(signal.reason);
        else reject(unreachable(request, messageOf(request, error), error));
      });
      if (body === undefined) sent.end();
      else if (body instanceof Uint8Array) sent.end(body);
      else {
        body.stream.once("error", (error) => sent.destroy(error));
        sent.once("close", () => body.stream.destroy());
        body.stream.pipe(sent);
      }
    });
  }

  #request(url: URL, options: https.RequestOptions, tls: HostTls | undefined): http.ClientRequest {
    const proxy = proxyFor(url, this.#env);
    if (url.protocol === "https:")
      return https.request(url, { ...options, agent: this.#agentFor(tls, proxy) });
    if (proxy === undefined) return http.request(url, { ...options, agent: this.#plain });
    const headers = { ...options.headers, Host: url.host, ...proxyAuthorization(proxy) };
    const send = proxy.protocol === "https:" ? https.request : http.request;
    return send(proxy, { ...options, headers, path: url.href, agent: false });
  }

  #agentFor(tls: HostTls | undefined, proxy: URL | undefined): https.Agent {
    const settings = JSON.stringify([tls ?? {}, proxy?.href]);
    const known = this.#agents.get(settings);
    if (known !== undefined) return known;
    const { ca, cert, key, skipVerify = false } = tls ?? {};
    const options = {
      keepAlive: true,
      timeout: idleMs,
      rejectUnauthorized: !skipVerify,
      ...(ca === undefined ? {} : { ca: [...rootCertificates, ...ca] }),
      ...(cert === undefined ? {} : { cert, key: key ?? cert }),
    };
    const agent = proxy ? new TunnelAgent(proxy, options) : new https.Agent(options);
    this.#agents.set(settings, agent);
    return agent;
  }
}

/** Reads a body as a whole, up to a limit. */
export async function readBody(body: Readable, mostBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += (chunk as Buffer).length;
    if (size > mostBytes) throw new BodyTooLarge(`the response has more than ${mostBytes} bytes`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

export class BodyTooLarge extends Error {}

class StalledError extends Error {}

/** How long a connection that is not used stays open. */
const idleMs = 30_000;
const mostRedirects = 10;
const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);
const isSafe = (method: string): boolean => method === "GET" || method === "HEAD";

function redirectTarget(location: string, from: URL, request: HttpRequest): URL {
  const target = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (target?.protocol !== "https:" && target?.protocol !== "http:")
    throw unreachable(request, `invalid redirect to ${JSON.stringify(location.slice(0, 200))}`);
  // Credentials in a location would be the server's, not ours.
  target.username = "";
  target.password = "";
  return target;
}

/** The headers that say what is wanted, not who wants it. */
const onlyNegotiation = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) =>
      ["accept", "range", "user-agent"].includes(name.toLowerCase()),
    ),
  );

const bodyLength = (body: NonNullable<HttpRequest["body"]>): number => body.length;

const speaksNoTls = ({ message }: RegistryError): boolean =>
  message.includes("server gave HTTP response to HTTPS client") || message.endsWith(": EOF");

/** `failed to do request: Head "https://…": dial tcp …` */
function unreachable(
  { method, url, hasHttpFallback }: HttpRequest,
  reason: string,
  cause?: unknown,
) {
  const name = `${method[0]}${method.slice(1).toLowerCase()}`;
  const shown =
    hasHttpFallback && reason.startsWith("dial tcp")
      ? url.href.replace(/^https/, "http")
      : url.href;
  return new RegistryError(
    "Unreachable",
    `failed to do request: ${name} ${JSON.stringify(withoutSecrets(shown))}: ${reason}`,
    { cause },
  );
}

/** Query parameters of signed addresses are credentials. */
const withoutSecrets = (href: string): string => href.replace(/\?.*$/, "");

function messageOf({ url }: HttpRequest, error: Error): string {
  if (error instanceof StalledError) return error.message;
  const isTls = url.protocol === "https:";
  const port = Number(url.port || (isTls ? 443 : 80));
  const host = url.hostname.replaceAll(/[[\]]/g, "");
  return dialMessage({ host, port, ...(isTls ? { tls: {} } : {}) }, error);
}
