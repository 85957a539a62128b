import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { afterEach, describe, expect, test } from "vitest";
import { selfSigned, signedByAnother } from "./real-network.test-support.ts";
import { realNetwork } from "./real-network.ts";

const { signal } = new AbortController();
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

describe("realNetwork", () => {
  test("bytes go both ways, and each direction ends on its own", async () => {
    const port = await listen(
      createServer({ allowHalfOpen: true }, (socket) => {
        let heard = "";
        socket.on("data", (bytes) => {
          heard += bytes;
        });
        socket.on("end", () => socket.end(`heard ${heard}`));
      }),
    );
    const stream = await realNetwork.dial({ host: "127.0.0.1", port }, signal);
    await stream.write(new TextEncoder().encode("you"));
    await stream.end();
    expect(new TextDecoder().decode(await stream.read())).toBe("heard you");
    expect(await stream.read()).toBe(undefined);
  });

  test("writes wait for a peer that does not read", async () => {
    let sent = 0;
    const port = await listen(
      createServer((socket) => {
        const block = Buffer.alloc(64 * 1024);
        const more = (): void => {
          while (sent < 64 << 20) {
            sent += block.length;
            if (!socket.write(block)) return;
          }
        };
        socket.on("drain", more).on("error", () => {});
        more();
      }),
    );
    const stream = await realNetwork.dial({ host: "127.0.0.1", port }, signal);
    await stream.read();
    // Long enough to send everything, if there were no backpressure.
    for (let i = 0; i < 2000; i++) await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toBeLessThan(32 << 20);
    stream.destroy();
  });

  test("destroying a stream fails its pending reads", async () => {
    let held: Socket | undefined;
    const port = await listen(
      createServer((socket) => {
        held = socket;
      }),
    );
    const stream = await realNetwork.dial({ host: "127.0.0.1", port }, signal);
    const reading = stream.read();
    stream.destroy();
    await expect(reading).rejects.toThrow("closed");
    await expect(stream.write(new Uint8Array(1))).rejects.toThrow("closed");
    held?.destroy();
  });

  test("a dial that is aborted opens nothing", async () => {
    const aborted = AbortSignal.abort(new Error("enough"));
    await expect(realNetwork.dial({ host: "127.0.0.1", port: 1 }, aborted)).rejects.toThrow(
      "enough",
    );
  });

  test("errors are in Go's words", async () => {
    const port = await listen(createServer());
    await new Promise((resolve) => servers.pop()?.close(resolve));
    const dial = (host: string, at: number) => realNetwork.dial({ host, port: at }, signal);
    await expect(dial("127.0.0.1", port)).rejects.toThrow(
      `dial tcp 127.0.0.1:${port}: connect: connection refused`,
    );
    await expect(realNetwork.lookup("127.0.0.1")).resolves.toEqual(["127.0.0.1"]);
  });

  test("a certificate must be signed by a trusted authority, for the host, unless verification is off", async () => {
    const { cert, key } = selfSigned();
    const port = await listen(createTlsServer({ cert, key }, (socket) => socket.end("hi")));
    const dial = (tls: object, host = "127.0.0.1") => realNetwork.dial({ host, port, tls }, signal);
    const verify = "tls: failed to verify certificate: x509:";
    await expect(dial({})).rejects.toThrow(`${verify} certificate signed by unknown authority`);
    await expect(dial({ ca: cert, serverName: "10.9.8.7" })).rejects.toThrow(
      `${verify} certificate is valid for 127.0.0.1, not 10.9.8.7`,
    );
    for (const tls of [{ ca: cert }, { insecure: true }]) {
      const stream = await dial(tls);
      expect(new TextDecoder().decode(await stream.read())).toBe("hi");
      stream.destroy();
    }
  });

  test("the server's own certificate is trusted without the authority that has signed it", async () => {
    const { cert, key } = signedByAnother();
    const port = await listen(createTlsServer({ cert, key }, (socket) => socket.end("hi")));
    const stream = await realNetwork.dial({ host: "127.0.0.1", port, tls: { ca: cert } }, signal);
    expect(new TextDecoder().decode(await stream.read())).toBe("hi");
    stream.destroy();
    const other = { ca: selfSigned().cert };
    await expect(realNetwork.dial({ host: "127.0.0.1", port, tls: other }, signal)).rejects.toThrow(
      "certificate signed by unknown authority",
    );
  });

  test("a server that requires a client certificate rejects us without one", async () => {
    const { cert, key } = selfSigned();
    const tls = { cert, key, requestCert: true, rejectUnauthorized: true, ca: cert };
    const port = await listen(createTlsServer(tls, (socket) => socket.end("hi")));
    const target = { host: "127.0.0.1", port, tls: { ca: cert } };
    const reading = realNetwork.dial(target, signal).then((stream) => stream.read());
    await expect(reading).rejects.toThrow("remote error: tls: certificate required");
  });

  test("a server that does not speak TLS gives an error of its own", async () => {
    const port = await listen(createServer((socket) => socket.end("HTTP/1.1 400 Bad\r\n\r\n")));
    await expect(realNetwork.dial({ host: "127.0.0.1", port, tls: {} }, signal)).rejects.toThrow(
      "http: server gave HTTP response to HTTPS client",
    );
  });
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}
