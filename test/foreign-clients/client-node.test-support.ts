import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from "node:http2";
import { createInterface } from "node:readline";
import {
  type HttpLibrary,
  type KubeConfig,
  type RequestContext,
  ResponseContext,
  Watch,
  wrapHttpLibrary,
} from "@kubernetes/client-node";

/** What the JavaScript client sends its requests with, instead of node-fetch, to speak HTTP/2. */
export interface Http2Transport {
  readonly library: HttpLibrary;
  readonly watch: Watch;
  close(): void;
}

export async function http2Transport(config: KubeConfig): Promise<Http2Transport> {
  const { server } = config.getCurrentCluster() ?? { server: "" };
  const tls = {};
  await config.applyToHTTPSOptions(tls);
  const session = connect(server, tls);
  return {
    library: wrapHttpLibrary({ send: (request) => send(session, request) }),
    watch: new Http2Watch(config, session),
    close: () => session.destroy(),
  };
}

function send(session: ClientHttp2Session, request: RequestContext): Promise<ResponseContext> {
  const { pathname, search } = new URL(request.getUrl());
  const head = { ":method": String(request.getHttpMethod()), ":path": pathname + search };
  const stream = session.request({ ...head, ...lowered(request.getHeaders()) });
  stream.end(request.getBody() as string | undefined);
  return new Promise((resolve, reject) => {
    stream.on("error", reject).on("response", ({ ":status": status = 0, ...headers }) => {
      const chunks: Uint8Array[] = [];
      stream.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      stream.on("end", () => {
        const bytes = Buffer.concat(chunks);
        const body = { text: async () => bytes.toString(), binary: async () => bytes };
        resolve(new ResponseContext(Number(status), flat(headers), body));
      });
    });
  });
}

const lowered = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

const flat = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? ""].flat().join(", ")]),
  );

/** The client's watch, over a stream of HTTP/2. */
class Http2Watch extends Watch {
  readonly #session: ClientHttp2Session;

  constructor(config: KubeConfig, session: ClientHttp2Session) {
    super(config);
    this.#session = session;
  }

  override async watch(
    path: string,
    queryParams: Record<string, string | number | boolean | undefined>,
    callback: (phase: string, object: unknown, event?: unknown) => void,
    done: (error: unknown) => void,
  ): Promise<AbortController> {
    const query = new URLSearchParams({ watch: "true" });
    for (const [name, value] of Object.entries(queryParams))
      if (value !== undefined) query.set(name, String(value));
    const controller = new AbortController();
    const stream = this.#session.request(
      { ":path": `${path}?${query}` },
      { signal: controller.signal },
    );
    stream.on("error", done).on("end", () => done(null));
    const lines = createInterface(stream).on("error", () => {});
    lines.on("line", (line) => {
      const event = JSON.parse(line) as { type: string; object: unknown };
      callback(event.type, event.object, event);
    });
    return controller;
  }
}
