import http from "node:http";
import https from "node:https";
import type { Duplex } from "node:stream";
import tls from "node:tls";

/** Connects to servers with TLS through a proxy, by a tunnel that the proxy opens. */
export class TunnelAgent extends https.Agent {
  readonly #proxy: URL;

  constructor(proxy: URL, options: https.AgentOptions) {
    super(options);
    this.#proxy = proxy;
  }

  /** Node calls it for every new connection. */
  createConnection(
    options: tls.ConnectionOptions,
    done: (error: Error | null, stream?: Duplex) => void,
  ): undefined {
    const target = `${options.host}:${options.port}`;
    const connect = (this.#proxy.protocol === "https:" ? https : http).request(this.#proxy, {
      method: "CONNECT",
      path: target,
      headers: { Host: target, ...proxyAuthorization(this.#proxy) },
      agent: false,
    });
    connect.once("error", (error) => done(new Error(`proxyconnect tcp: ${error.message}`)));
    connect.once("connect", ({ statusCode, statusMessage }, socket) => {
      if (statusCode !== 200) {
        socket.destroy();
        done(new Error(`proxyconnect tcp: ${statusCode} ${statusMessage}`));
        return;
      }
      const secure = tls.connect({ ...options, socket });
      secure.once("error", (error) => done(error));
      secure.once("secureConnect", () => done(null, secure));
    });
    connect.end();
  }
}

/** The header by which a proxy with a password in its address knows us. */
export function proxyAuthorization({ username, password }: URL): Record<string, string> {
  if (username === "") return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "Proxy-Authorization": `Basic ${Buffer.from(pair).toString("base64")}` };
}
