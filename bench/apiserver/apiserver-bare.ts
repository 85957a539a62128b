import { readFileSync } from "node:fs";
import { createSecureServer } from "node:http2";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";

// The reference: a server that does nothing but answer the bytes it was given.
// node FILE h2|https PKI [BODY]
const [, , protocol, pki, file] = process.argv;
const tls = {
  cert: readFileSync(`${pki}/apiserver.crt`),
  key: readFileSync(`${pki}/apiserver.key`),
  ca: readFileSync(`${pki}/ca.crt`),
};
const body = file ? readFileSync(file) : Buffer.alloc(0);
const headers = { "content-type": "application/json", "cache-control": "no-cache, private" };

if (protocol === "https") {
  const server = createServer(tls, (request, response) => {
    const status = request.method === "POST" ? 201 : 200;
    request.on("data", () => {});
    request.on("end", () => response.writeHead(status, headers).end(body));
  });
  server.listen(0, "127.0.0.1", () => ready(server.address()));
} else {
  const server = createSecureServer({
    ...tls,
    requestCert: true,
    rejectUnauthorized: false,
    maxSessionMemory: 256,
  });
  server.on("stream", (stream, request) => {
    if (request[":method"] === "GET") {
      stream.respond({ ":status": 200, ...headers });
      stream.end(body);
      return;
    }
    stream.on("data", () => {});
    stream.on("end", () => {
      stream.respond({ ":status": request[":method"] === "POST" ? 201 : 200, ...headers });
      stream.end(body);
    });
  });
  server.listen(0, "127.0.0.1", () => ready(server.address()));
}

function ready(address: string | AddressInfo | null): void {
  if (typeof address === "object") console.log(`ready: https://127.0.0.1:${address?.port}`);
}
process.on("SIGTERM", () => process.exit(0));
