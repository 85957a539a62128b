import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { longEnoughMs } from "../../../test/long-enough.ts";
import { runScript } from "../../../test/project.ts";
import type { TransportRequest } from "../../client/transport.ts";
import { selfSigned } from "../../platform/real-network.test-support.ts";
import { httpsTransport } from "../https-transport.ts";
import { testServer } from "../suite-server.test-support.ts";
import { httpProxy, socksProxy } from "./proxy-server.test-support.ts";

const get: TransportRequest = { method: "GET", path: "/x", query: "y=1", headers: {} };

/** The response of a server behind a proxy. */
async function through(proxy: string, server?: string): Promise<unknown> {
  const target = await testServer(({ path }) => ({ body: JSON.stringify({ path }) }));
  const transport = httpsTransport({
    server: server ?? target.url,
    authorities: async () => target.ca,
    proxy: () => new URL(proxy),
  });
  onTestFinished(() => {
    transport.close();
    return target.close();
  });
  return (await transport(get)).value();
}

const basic = `Basic ${Buffer.from("user:pass word").toString("base64")}`;

test("HTTP proxy: reaches the server, and sends the proxy's credentials", async () => {
  const proxy = await httpProxy({ authorization: basic });
  expect(await through(`http://user:pass%20word@127.0.0.1:${proxy.port}`)).toEqual({ path: "/x" });
  expect(proxy.asked).toEqual([expect.stringMatching(/^CONNECT 127\.0\.0\.1:\d+$/)]);
});

test("HTTP proxy: a rejection is reported in Go's words, without the password", async () => {
  const proxy = await httpProxy({ authorization: basic });
  const call = through(`http://user:wrong-secret@127.0.0.1:${proxy.port}`);
  await expect(call).rejects.toThrow(/^Proxy Authentication Required$/);
});

test("HTTP proxy: an unreachable proxy is an error", async () => {
  await expect(through("http://user:secret@127.0.0.1:1")).rejects.toThrow(
    /^proxyconnect tcp: dial tcp 127\.0\.0\.1:1: connect: connection refused$/,
  );
});

test("HTTP proxy: a malformed response is an error", async () => {
  const target = await testServer(() => ({}));
  onTestFinished(target.close);
  await expect(through(`https://127.0.0.1:${target.port}`)).rejects.toThrow(
    /^proxyconnect tcp: tls: failed to verify certificate: x509: certificate signed by unknown authority$/,
  );
});

test("HTTP proxy: works over TLS", async () => {
  // Node reads the trusted authorities once per process.
  const tls = selfSigned();
  const dir = mkdtempSync(join(tmpdir(), "wherry-proxy-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  writeFileSync(join(dir, "ca.crt"), tls.cert);
  const proxy = await httpProxy({ tls });
  const target = await testServer(() => ({ body: '{"reached":true}' }));
  onTestFinished(target.close);
  const program = join(dir, "call.ts");
  writeFileSync(
    program,
    `import { httpsTransport } from ${JSON.stringify(join(import.meta.dirname, "..", "https-transport.ts"))};
    const transport = httpsTransport({
      server: ${JSON.stringify(target.url)},
      insecure: true,
      proxy: () => new URL("https://127.0.0.1:${proxy.port}"),
    });
    const call = { method: "GET", path: "/", query: "", headers: {} } as const;
    console.log(JSON.stringify(await (await transport(call)).value()));`,
  );
  // The process ends although its idle connection was not closed.
  expect(await run(program, { NODE_EXTRA_CA_CERTS: join(dir, "ca.crt") })).toBe(
    '{"reached":true}\n',
  );
  expect(proxy.asked.length).toBe(1);
});

test("SOCKS5 proxy: reaches the server, and resolves its name", async () => {
  const proxy = await socksProxy({ user: "user:pass" });
  const url = `socks5://user:pass@127.0.0.1:${proxy.port}`;
  expect(await through(url)).toEqual({ path: "/x" });
  const target = await testServer(() => ({ body: '{"named":true}' }));
  onTestFinished(target.close);
  const transport = httpsTransport({
    server: `https://localhost:${target.port}`,
    authorities: async () => target.ca,
    proxy: () => new URL(url),
  });
  onTestFinished(transport.close);
  expect(await (await transport(get)).value()).toEqual({ named: true });
  expect(proxy.asked[1]).toBe(`localhost:${target.port}`);
});

test("SOCKS5 proxy: a rejection is reported in Go's words", async () => {
  const refusing = await socksProxy({ reply: 5 });
  await expect(through(`socks5://127.0.0.1:${refusing.port}`)).rejects.toThrow(
    new RegExp(
      `^socks connect tcp 127\\.0\\.0\\.1:${refusing.port}->127\\.0\\.0\\.1:\\d+: unknown error connection refused$`,
    ),
  );
  const asking = await socksProxy({ user: "user:pass" });
  await expect(through(`socks5://user:wrong@127.0.0.1:${asking.port}`)).rejects.toThrow(
    /: username\/password authentication failed$/,
  );
});

test("HTTP proxy: a plain HTTP request has the absolute URL", async () => {
  const proxy = await httpProxy();
  const url = `http://user:pass%20word@127.0.0.1:${proxy.port}`;
  expect(await through(url, "http://plain.example:8080/prefix")).toEqual({ by: "proxy" });
  expect(proxy.asked).toEqual([`GET http://plain.example:8080/prefix/x?y=1 ${basic}`]);
});

function run(program: string, env: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env: { ...process.env, ...env }, timeout: longEnoughMs };
    execFile(process.execPath, [runScript, program], options, (error, stdout, stderr) => {
      if (error) reject(new Error(stderr, { cause: error }));
      else resolve(stdout);
    });
  });
}
