import { byteStreamPair } from "../../base/byte-stream-pair.ts";
import { ByteReader } from "../../base/http/byte-reader.ts";
import { readCounted, readHeaders } from "../../base/http/http1-message.ts";
import type { ByteStream, Network } from "../../base/network.ts";

/** What a server responds with; a string is the body. */
export interface Served {
  readonly code?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Servers in this process, by the URL of what they serve. */
export class TestNetwork implements Network {
  readonly served = new Map<string, (body: string) => Served | Promise<Served>>();
  /** The URLs that were requested, with credentials after a space. */
  readonly requested: string[] = [];
  /** The authority that clients must verify servers with. */
  readonly ca: string | undefined;

  constructor(ca?: string) {
    this.ca = ca;
  }

  async dial({ host, port, tls }: Parameters<Network["dial"]>[0]): Promise<ByteStream> {
    if (!tls || tls.ca !== this.ca || tls.insecure)
      throw new Error(
        "tls: failed to verify certificate: x509: certificate signed by unknown authority",
      );
    const [client, server] = byteStreamPair();
    void this.#serve(server, `https://${host}${port === 443 ? "" : `:${port}`}`);
    return client;
  }

  async lookup(host: string): Promise<readonly string[]> {
    throw new Error(`lookup ${host}: no such host`);
  }

  async #serve(stream: ByteStream, origin: string): Promise<void> {
    const reader = new ByteReader(stream);
    for (;;) {
      const line = await reader.line(10_000).catch(() => undefined);
      if (line === undefined) return;
      const headers = new Map(await readHeaders(reader, 100_000));
      const url = `${origin}${line.split(" ")[1]}`;
      const credential = headers.get("Authorization");
      this.requested.push(credential === undefined ? url : `${url} ${credential}`);
      const length = Number(headers.get("Content-Length") ?? 0);
      let sent = "";
      for await (const piece of readCounted(reader, length)) sent += Buffer.from(piece).toString();
      const {
        code = 200,
        headers: own = {},
        body,
      } = (await this.served.get(url)?.(sent)) ?? ({ code: 404, body: "not found" } as Served);
      const all = {
        "Content-Type": "application/json",
        ...own,
        "Content-Length": Buffer.byteLength(body),
      };
      const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
      await stream.write(Buffer.from(`HTTP/1.1 ${code} Code\r\n${lines.join("")}\r\n${body}`));
    }
  }
}
