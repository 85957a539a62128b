import { get as getPlain, type IncomingMessage } from "node:http";
import { get as getSecure } from "node:https";
import { mostManifestBytes, tooLarge } from "./manifest-size.ts";

export interface ManifestRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly signal: AbortSignal;
}

/** Fetches a text, after redirects; rejects unless the status of the response is 200. */
export async function requestManifest(request: ManifestRequest): Promise<string> {
  let { url, headers } = request;
  for (let sent = 1; ; sent++) {
    const response = await send({ ...request, url, headers });
    const { statusCode = 0, statusMessage = "" } = response;
    const { location } = response.headers;
    if (statusCode === 200) return textOf(response);
    response.destroy();
    if (!redirects.has(statusCode) || location === undefined)
      throw new Error(`${statusCode} ${statusMessage}`);
    if (sent === mostRequests) throw new Error(`stopped after ${mostRequests} redirects`);
    const next = new URL(location, url);
    // The headers may be credentials, which are for one server only.
    if (next.host !== url.host) headers = {};
    url = next;
  }
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const mostRequests = 10;

function send({ url, headers, signal }: ManifestRequest): Promise<IncomingMessage> {
  const get = url.protocol === "https:" ? getSecure : getPlain;
  const { username, password } = url;
  const auth = username || password ? { auth: authOf(username, password) } : {};
  const copies = Object.fromEntries(
    Object.entries(headers).map(([name, values]) => [name, [...values]]),
  );
  return new Promise((resolve, reject) => {
    get(url, { headers: copies, signal, agent: false, ...auth }, resolve).on("error", reject);
  });
}

const authOf = (user: string, password: string): string =>
  `${decodeURIComponent(user)}:${decodeURIComponent(password)}`;

async function textOf(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > mostManifestBytes) throw new Error(tooLarge);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}
