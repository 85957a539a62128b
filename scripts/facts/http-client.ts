import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { dirname, resolve } from "node:path";
import { WebSocket } from "ws";

export interface Request {
  readonly method?: string;
  /** Path and query. */
  readonly path: string;
  /** A header of null is not sent at all. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** A string is sent as it stands, anything else as JSON. */
  readonly body?: unknown;
}
export interface Answer {
  readonly status: number;
  /** Names and values alternate, as they came. */
  readonly rawHeaders: readonly string[];
  readonly text: string;
}

/**
 * A bare HTTP client: what is compared must not pass through the project's own client.
 */
export class HttpClient {
  readonly #url: URL;
  readonly #userAgent: string;
  readonly #token: string | undefined;
  readonly #library: typeof http | typeof https;
  readonly #agent: http.Agent;
  readonly #streams: http.Agent;
  readonly #tls: Tls;

  constructor(kubeconfig: string, userAgent: string) {
    const { server, token, ...tls } = readKubeconfig(kubeconfig);
    this.#url = new URL(server);
    this.#userAgent = userAgent;
    this.#token = token;
    this.#library = this.#url.protocol === "https:" ? https : http;
    this.#tls = tls;
    const { Agent } = this.#library;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 24, ...tls });
    this.#streams = new Agent({ keepAlive: true, ...tls });
  }

  close(): void {
    this.#agent.destroy();
    this.#streams.destroy();
  }

  send({ method = "GET", path, headers = {}, body }: Request): Promise<Answer> {
    const payload = typeof body === "string" ? body : JSON.stringify(body);
    const all = this.#headers({
      ...(payload !== undefined && { "content-type": "application/json" }),
      ...headers,
    });
    if (payload !== undefined) all["content-length"] = String(Buffer.byteLength(payload));
    return new Promise((done, fail) => {
      const options = { ...this.#target, agent: this.#agent, method, path, headers: all };
      const request = this.#library.request(options, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", fail);
        response.on("end", () => {
          const { statusCode: status = 0, rawHeaders } = response;
          done({ status, rawHeaders, text: Buffer.concat(chunks).toString("utf8") });
        });
      });
      request.on("error", fail);
      request.setTimeout(30_000, () => request.destroy(new Error("no answer in 30 s")));
      request.end(payload);
    });
  }

  /** Sends one watch request, and resolves when its answer ends. */
  watch(path: string, onEvent: (event: unknown) => void): Promise<void> {
    return new Promise((done) => {
      const headers = this.#headers({});
      const options = { ...this.#target, agent: this.#streams, path, headers };
      const request = this.#library.request(options);
      request.on("response", (response) => {
        let rest = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          const lines = (rest + chunk).split("\n");
          rest = lines.pop() ?? "";
          for (const line of lines) if (line.trim() !== "") onEvent(JSON.parse(line));
        });
        response.on("error", () => done());
        response.on("close", () => done());
      });
      request.on("error", () => done());
      request.end();
    });
  }

  /** Opens a WebSocket with one subprotocol. */
  webSocket(path: string, protocol: string): WebSocket {
    const url = new URL(path, this.#url);
    url.protocol = this.#library === https ? "wss:" : "ws:";
    const { accept: _, ...headers } = this.#headers({});
    return new WebSocket(url, [protocol], { headers, ...this.#tls });
  }

  get #target(): { readonly hostname: string; readonly port: string } {
    return { hostname: this.#url.hostname, port: this.#url.port };
  }

  #headers(own: Readonly<Record<string, string | null>>): Record<string, string> {
    const all: Record<string, string> = {
      "user-agent": this.#userAgent,
      accept: "application/json",
      ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
    };
    for (const [name, value] of Object.entries(own)) {
      if (value === null) delete all[name.toLowerCase()];
      else all[name.toLowerCase()] = value;
    }
    return all;
  }
}

/** A JSON value, or the text where it is none. */
export function parsed(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

interface Tls {
  readonly ca: Buffer | undefined;
  readonly cert: Buffer | undefined;
  readonly key: Buffer | undefined;
}
interface Credentials extends Tls {
  readonly server: string;
  readonly token: string | undefined;
}

/** Server and credentials of a kubeconfig with one cluster and one user, in YAML or JSON. */
function readKubeconfig(file: string): Credentials {
  const text = readFileSync(file, "utf8");
  const one = (key: string) =>
    new RegExp(`["']?\\b${key}["']?\\s*:\\s*["']?([^"'\\s,}]+)`).exec(text)?.[1];
  const data = (key: string) => {
    const inline = one(`${key}-data`);
    if (inline !== undefined) return Buffer.from(inline, "base64");
    const name = one(key);
    return name === undefined ? undefined : readFileSync(resolve(dirname(file), name));
  };
  const server = one("server");
  if (server === undefined) throw new Error(`${file} names no server`);
  return {
    server,
    token: one("token"),
    ca: data("certificate-authority"),
    cert: data("client-certificate"),
    key: data("client-key"),
  };
}
