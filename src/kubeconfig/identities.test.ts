import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { VirtualClock } from "../base/virtual-clock.ts";
import type { TransportRequest } from "../client/transport.ts";
import { selfSigned } from "../platform/real-network.test-support.ts";
import type { Credentials, Identity } from "./credentials.ts";
import { certificateFileCredentials, tokenFileCredentials } from "./file-credentials.ts";
import { httpsTransport } from "./https-transport.ts";
import { testServer } from "./suite-server.test-support.ts";

const get: TransportRequest = { method: "GET", path: "/", query: "", headers: {} };

function testDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "wherry-identity-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}

/** A server that accepts one token, and records the headers it received. */
async function guarded(credentials: Credentials, protocol: "h2" | "http/1.1", token: string) {
  const bodies: string[] = [];
  const server = await testServer(({ headers, body }) => {
    bodies.push(`${headers.authorization} ${body}`);
    const isIt = headers.authorization === `Bearer ${token}`;
    return isIt ? { body: '"welcome"' } : { status: 401, body: '{"kind":"Status"}' };
  });
  const transport = httpsTransport({
    server: server.url,
    authorities: async () => server.ca,
    credentials,
    protocols: [protocol],
  });
  onTestFinished(() => {
    transport.close();
    return server.close();
  });
  return { transport, bodies };
}

for (const protocol of ["h2", "http/1.1"] as const) {
  test(`${protocol}: a rejected call is retried once, if there are new credentials`, async () => {
    let identity: Identity = { authorization: "Bearer old" };
    const credentials: Credentials = {
      current: async () => identity,
      async renew(refused) {
        identity = { authorization: "Bearer new" };
        return refused.authorization !== identity.authorization;
      },
    };
    const { transport, bodies } = await guarded(credentials, protocol, "new");
    const call = { ...get, method: "POST", body: { a: 1 } } as const;
    expect(await (await transport(call)).value()).toBe("welcome");
    expect(bodies).toEqual(['Bearer old {"a":1}', 'Bearer new {"a":1}']);
  });

  test(`${protocol}: a rejection without new credentials is returned`, async () => {
    const credentials: Credentials = {
      current: async () => ({ authorization: "Bearer old" }),
      renew: async () => {
        throw new Error("no");
      },
    };
    const { transport, bodies } = await guarded(credentials, protocol, "new");
    const response = await transport(get);
    expect([response.status, await response.value()]).toEqual([401, { kind: "Status" }]);
    expect(bodies.length).toBe(1);
  });
}

test("a call's own Authorization header is sent, and not renewed", async () => {
  const credentials: Credentials = {
    current: async () => ({ authorization: "Bearer ours" }),
    renew: async () => true,
  };
  const { transport, bodies } = await guarded(credentials, "h2", "new");
  const response = await transport({ ...get, headers: { authorization: "Bearer theirs" } });
  expect([response.status, bodies]).toEqual([401, ["Bearer theirs "]]);
});

test("a token file is read again every minute, and the last token stays if that fails", async () => {
  const clock = new VirtualClock(0);
  const path = join(testDir(), "token");
  writeFileSync(path, " one\n");
  const credentials = tokenFileCredentials(path, { clock });
  const first = await credentials.current();
  expect(first).toEqual({ authorization: "Bearer one" });
  writeFileSync(path, "two");
  await clock.advance(45_000);
  expect(await credentials.current()).toBe(first);
  await clock.advance(15_000);
  expect(await credentials.current()).toEqual({ authorization: "Bearer two" });
  rmSync(path);
  await clock.advance(60_000);
  expect(await credentials.current()).toEqual({ authorization: "Bearer two" });
  writeFileSync(path, "three");
  expect(await credentials.renew(await credentials.current())).toBe(true);
  expect(await credentials.current()).toEqual({ authorization: "Bearer three" });
  expect(await credentials.renew(await credentials.current())).toBe(false);
});

test("a missing or empty token file is an error, unless there is another token", async () => {
  const clock = new VirtualClock(0);
  const path = join(testDir(), "token");
  await expect(tokenFileCredentials(path, { clock }).current()).rejects.toThrow(
    `open ${path}: no such file or directory`,
  );
  const withOther = tokenFileCredentials(path, { clock, fallback: "other" });
  expect(await withOther.current()).toEqual({ authorization: "Bearer other" });
  writeFileSync(path, "\n");
  await expect(tokenFileCredentials(path, { clock }).current()).rejects.toThrow(
    `read empty token from file "${path}"`,
  );
});

test("a replaced client certificate is used on new connections; pending calls go on", async () => {
  const clock = new VirtualClock(0);
  const dir = testDir();
  const own = selfSigned();
  const write = (): string => {
    const { cert, key } = selfSigned();
    writeFileSync(join(dir, "crt"), cert);
    writeFileSync(join(dir, "key"), key);
    return cert;
  };
  const server = createServer(
    { ...own, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      response.setHeader("content-type", "application/json");
      const { raw } = (request.socket as TLSSocket).getPeerCertificate();
      const shown = JSON.stringify(raw.toString("base64"));
      if (request.url === "/watch") response.write(`${shown}\n`);
      else response.end(shown);
    },
  );
  await listening(server);
  const { port } = server.address() as AddressInfo;
  const transport = httpsTransport({
    server: `https://127.0.0.1:${port}`,
    authorities: async () => own.cert,
    credentials: certificateFileCredentials(
      { cert: { path: join(dir, "crt") }, key: { path: join(dir, "key") } },
      clock,
    ),
    clock,
  });
  onTestFinished(transport.close);
  const der = (pem: string): string => pem.replaceAll(/-----.*-----|\s/g, "");
  const first = der(write());
  expect(await (await transport(get)).value()).toBe(first);
  const watch = (await transport({ ...get, path: "/watch" })).values()[Symbol.asyncIterator]();
  expect((await watch.next()).value).toEqual([first]);
  const second = der(write());
  expect(await (await transport(get)).value()).toBe(first);
  await clock.advance(60_000);
  expect(await (await transport(get)).value()).toBe(second);
  let isOver = false;
  void watch.next().then(
    () => undefined,
    () => {
      isOver = true;
    },
  );
  expect(await (await transport(get)).value()).toBe(second);
  expect(isOver).toBe(false);
});

test("responses may be compressed, unless compression is disabled", async () => {
  const text = JSON.stringify({ text: "x".repeat(1000) });
  const zipped = gzipSync(text);
  const server = await testServer(({ headers }) =>
    headers["accept-encoding"] === "gzip"
      ? {
          headers: { "content-encoding": "gzip" },
          body(out) {
            for (const byte of zipped) out.write(Uint8Array.of(byte));
            out.end();
          },
        }
      : { headers: { "x-plain": "yes" }, body: text },
  );
  onTestFinished(server.close);
  for (const compression of [true, false]) {
    const authorities = async (): Promise<string> => server.ca;
    const transport = httpsTransport({ server: server.url, authorities, compression });
    onTestFinished(transport.close);
    const response = await transport(get);
    expect(response.headers["x-plain"]).toBe(compression ? undefined : "yes");
    expect(await response.value()).toEqual(JSON.parse(text));
    const lines: unknown[] = [];
    for await (const batch of (await transport(get)).values()) lines.push(...batch);
    expect(lines).toEqual([JSON.parse(text)]);
  }
});

async function listening(server: Server): Promise<void> {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
}
