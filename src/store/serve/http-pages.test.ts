import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createGrpcClient } from "../../platform/grpc/grpc-client.ts";
import { etcdMethods } from "../etcd/etcd-methods.ts";
import { type EtcdTls, etcdTls, hasEtcd } from "../etcd/etcd-server.test-support.ts";
import { type Endpoint, startEtcd, startOurs } from "./both.test-support.ts";
import { httpPages } from "./http-pages.ts";

interface Page {
  readonly status: number | undefined;
  readonly type: string | undefined;
  readonly allow: string | undefined;
  readonly text: string;
}

function page({ address }: Pick<Endpoint, "address">, call: string, tls?: EtcdTls): Promise<Page> {
  const [method, path] = call.split(" ");
  const [host, port] = address.split(":");
  const options = { host, port, method, path, agent: false };
  return new Promise((resolve, reject) => {
    const request = tls ? requestSecure({ ...options, ...tls.client }) : requestPlain(options);
    request.on("error", reject).end();
    request.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      const { statusCode: status, headers } = response;
      const { "content-type": type, allow } = headers;
      response.on("end", () => resolve({ status, type, allow, text }));
    });
  });
}

async function started(start: typeof startOurs, tls?: EtcdTls): Promise<Endpoint> {
  const endpoint = await start(tls);
  onTestFinished(() => endpoint.stop());
  return endpoint;
}

describe.skipIf(!hasEtcd)("the pages of etcd", () => {
  test("responses are etcd's", async () => {
    const [wanted, got] = await Promise.all([started(startEtcd), started(startOurs)]);
    for (const call of [
      "GET /health",
      "GET /health?serializable=true",
      "POST /health",
      "HEAD /health",
      "GET /",
      "GET /nothing",
    ])
      expect(await page(got, call), call).toEqual(await page(wanted, call));
    const version = await page(wanted, "GET /version");
    const text = version.text.replace(/3\.4\.\d+/, "3.4.31");
    expect(await page(got, "GET /version")).toEqual({ ...version, text });
  });

  test("with TLS they are on the port of gRPC, too, for clients with a certificate", async () => {
    const folder = mkdtempSync(join(tmpdir(), "wherry-pages-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const tls = await etcdTls(folder);
    const ours = await started(startOurs, tls);
    expect(await page(ours, "GET /health", tls)).toMatchObject({ status: 200 });
    const { cert: _, key: __, ...anonymous } = tls.client;
    await expect(page(ours, "GET /health", { ...tls, client: anonymous })).rejects.toThrow();
    const client = createGrpcClient({ address: ours.address, tls: tls.client });
    onTestFinished(() => client.close());
    expect(await client.unary(etcdMethods.status, {})).toMatchObject({ version: "3.4.31" });
  });
});

test("the health of a store that cannot be read is false", async () => {
  const pages = createServer(httpPages({ currentRevision: () => Promise.reject(new Error("no")) }));
  await once(pages.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void pages.close());
  const address = `127.0.0.1:${(pages.address() as AddressInfo).port}`;
  expect(await page({ address }, "GET /health")).toEqual({
    status: 503,
    type: "text/plain; charset=utf-8",
    allow: undefined,
    text: '{"health":"false"}\n',
  });
});
