import { copyFileSync, readFileSync } from "node:fs";
import { Agent, request as httpsRequest } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import {
  ask,
  startWith,
  TestAuthority,
  testDir,
} from "../../../../test/support/apiserver.test-support.ts";
import { freePort } from "../../../../test/support/wherry-process.test-support.ts";
import { ServiceAccount } from "../../../api/core/v1/service-account.ts";
import { ClusterRole } from "../../../api/rbac/v1/cluster-role.ts";
import { ClusterRoleBinding } from "../../../api/rbac/v1/cluster-role-binding.ts";
import { noLog } from "../../../base/log.ts";
import { type Metrics, noMetrics } from "../../../base/metrics.ts";
import { MetricsRegistry } from "../../../base/metrics-registry.ts";
import { VirtualClock } from "../../../base/virtual-clock.ts";
import { type Client, createClient } from "../../../client/client.ts";
import { TokenRequest } from "../../../client/subresource-kinds.ts";
import { connect } from "../../../kubeconfig/connect.ts";
import { textResponse } from "../../../kubelet/api/kubelet-request.ts";
import { findRoute } from "../../../kubelet/api/routes.ts";
import { defaultKubeletConfiguration } from "../../../kubelet/config/default-kubelet-configuration.ts";
import { realClock } from "../../../platform/real-clock.ts";
import { type KubeletServing, kubeletServing } from "./kubelet-serving.ts";
import { openKubeletServers } from "./open-kubelet-servers.ts";

const usual = kubeletServing(defaultKubeletConfiguration(() => ({ on: new Set(), problems: [] })));

/** Files of an authority, in which certificates can be replaced. */
function servingFiles() {
  const dir = testDir();
  const authority = new TestAuthority(dir);
  const { cert, key } = authority.issue("kubelet-1", { dnsNames: ["localhost"] });
  const [clientCa, certFile, keyFile] = ["client-ca.pem", "k.crt", "k.key"].map((name) =>
    join(dir, name),
  ) as [string, string, string];
  copyFileSync(authority.file, clientCa);
  copyFileSync(cert, certFile);
  copyFileSync(key, keyFile);
  const files = {
    certificate: {
      cert: { flag: "tls-cert-file", path: certFile },
      key: { flag: "tls-private-key-file", path: keyFile },
    },
    clientCa: { flag: "client-ca-file", path: clientCa },
  };
  return { authority, files, clientCa, certFile, keyFile };
}

/** Servers that respond with the name of the route, until the test ends. */
async function serve(
  client: Client,
  serving: Partial<KubeletServing>,
  metrics: Metrics = noMetrics,
) {
  const servers = await openKubeletServers({
    nodeName: "node-1",
    client,
    clock: realClock,
    log: noLog,
    metrics,
    serving: {
      ...usual,
      ...{ address: "127.0.0.1", port: 0, healthz: { address: "127.0.0.1", port: 0 } },
      ...serving,
    },
    // Its certificate is in files.
    pair: () => ({ cert: "", key: "" }),
    api: (routes) => async (request) => {
      const route = findRoute(request, routes);
      return "status" in route ? route : textResponse(200, route.name);
    },
  });
  onTestFinished(() => servers.close());
  return servers;
}

/** A client of no API server, where none is needed. */
const nobody = createClient(
  () => {
    throw new Error("there is no API server");
  },
  { clock: realClock },
);

async function apiServer() {
  const api = await startWith(testDir());
  const { client, close } = await connect({ path: api.kubeconfig });
  onTestFinished(close);
  return { client, api };
}

/** A service account that may do something with subresources of nodes. */
async function account(client: Client, name: string, verb: string, ...resources: string[]) {
  const key = { namespace: "default", name };
  await client.create(ServiceAccount, { metadata: key });
  await client.create(ClusterRole, {
    metadata: { name },
    rules: [{ apiGroups: [""], resources, verbs: [verb] }],
  });
  await client.create(ClusterRoleBinding, {
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
    subjects: [{ kind: "ServiceAccount", ...key }],
  });
  const { status } = await client
    .subresource(ServiceAccount, key, "token")
    .create(TokenRequest, { spec: { audiences: [] } });
  return { headers: { authorization: `Bearer ${status?.token}` } };
}

const identity = ({ cert, key }: { readonly cert: string; readonly key: string }) => ({
  cert: readFileSync(cert, "utf8"),
  key: readFileSync(key, "utf8"),
});
const masters = { organizations: ["system:masters"] };

test("without its API, a kubelet serves its health alone, and keeps the port of its configuration", async () => {
  const healthPort = await freePort();
  const port = await freePort();
  const healthz = { address: "127.0.0.1", port: healthPort };
  const { files } = servingFiles();
  const servers = await serve(nobody, { files, isEnabled: false, port, healthz });
  expect(servers.port).toBe(port);
  expect(await (await fetch(`http://127.0.0.1:${healthPort}/healthz`)).text()).toBe("ok");
  await expect(fetch(`https://127.0.0.1:${port}/healthz`)).rejects.toThrow("fetch failed");
});

test("a port of health that another program has is tried again every five seconds", async () => {
  const taken = createServer();
  await new Promise<void>((go) => taken.listen(0, "127.0.0.1", go));
  const { port } = taken.address() as AddressInfo;
  const clock = new VirtualClock();
  const servers = await openKubeletServers({
    ...{ nodeName: "node-1", client: nobody, clock, log: noLog, metrics: noMetrics },
    serving: { ...usual, isEnabled: false, healthz: { address: "127.0.0.1", port } },
    pair: () => ({ cert: "", key: "" }),
    api: () => async () => textResponse(200, ""),
  });
  onTestFinished(() => servers.close());
  await new Promise((go) => taken.close(go));
  await clock.advance(5000);
  const health = async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).text();
  await expect.poll(() => health().catch(() => "")).toBe("ok");
});

test("the API server authenticates and authorizes the callers of a kubelet", async () => {
  const { client } = await apiServer();
  const { authority, files } = servingFiles();
  const scraper = await account(client, "scraper", "get", "nodes/metrics", "nodes/stats");
  const reader = await account(client, "reader", "get", "nodes/pods");
  const admin = identity(authority.issue("admin", masters));
  const somebody = identity(authority.issue("somebody"));
  const stranger = identity(new TestAuthority(testDir()).issue("admin", masters));
  const wrong = { headers: { authorization: "Bearer nonsense" } };
  const strict = await serve(client, { files });
  const open = await serve(client, { files, access: { ...usual.access, anonymous: true } });
  const all = await serve(client, { files, access: { anonymous: false } });
  const forbidden = (user: string, verb: string, ...subresources: string[]) =>
    `Forbidden (user=${user}, verb=${verb}, resource=nodes, subresource(s)=[${subresources.join(" ")}])\n`;
  const name = "system:serviceaccount:default:";
  const post = { method: "POST" };
  const rows: [{ port: number }, path: string, options: object, status: number, text: string][] = [
    [strict, "/pods", {}, 401, "Unauthorized"],
    [strict, "/healthz", wrong, 401, "Unauthorized"],
    [strict, "/pods", stranger, 401, "Unauthorized"],
    [strict, "/pods", admin, 200, "pods"],
    [strict, "/exec/a/b/c", { ...admin, ...post }, 200, "exec"],
    [strict, "/exec/a/b/c", somebody, 403, forbidden("somebody", "get", "proxy")],
    [strict, "/metrics", scraper, 200, "metrics"],
    [strict, "/metrics/cadvisor", scraper, 200, "metrics/cadvisor"],
    [strict, "/stats/summary", scraper, 200, "stats/summary"],
    [
      strict,
      "/stats/summary",
      { ...scraper, ...post },
      403,
      forbidden(`${name}scraper`, "create", "stats"),
    ],
    [strict, "/pods", scraper, 403, forbidden(`${name}scraper`, "get", "pods", "proxy")],
    [strict, "/pods", reader, 200, "pods"],
    [strict, "/runningpods/", reader, 200, "runningpods"],
    [strict, "/configz", reader, 403, forbidden(`${name}reader`, "get", "configz", "proxy")],
    [open, "/pods", {}, 403, forbidden("system:anonymous", "get", "pods", "proxy")],
    [open, "/pods", wrong, 401, "Unauthorized"],
    [all, "/pods", somebody, 200, "pods"],
    // Without TokenReviews a token is no credential.
    [all, "/pods", scraper, 401, "Unauthorized"],
  ];
  for (const [server, path, options, status, text] of rows) {
    const reply = await ask(server, path, options);
    expect({ path, status: reply.status, text: reply.text }).toEqual({ path, status, text });
  }
});

test("rights are cached, and errors of the API server are named", async () => {
  const { client, api } = await apiServer();
  const { authority, files } = servingFiles();
  const server = await serve(client, { files });
  const admin = identity(authority.issue("admin", masters));
  expect((await ask(server, "/pods", admin)).status).toBe(200);
  await api.close();
  expect((await ask(server, "/pods", admin)).status).toBe(200);
  expect(await ask(server, "/logs/", admin)).toMatchObject({
    status: 500,
    text: "Authorization error (user=admin, verb=get, resource=nodes, subresource=log)",
  });
});

test("new certificates are used without a restart", async () => {
  const { authority, files, clientCa, certFile, keyFile } = servingFiles();
  const server = await serve(nobody, { files, access: { anonymous: false } });
  const before = identity(authority.issue("admin", masters));
  expect(await ask(server, "/pods", before)).toMatchObject({ status: 200, servedBy: "kubelet-1" });
  const other = new TestAuthority(testDir());
  const next = other.issue("kubelet-2", { dnsNames: ["localhost"] });
  copyFileSync(next.cert, certFile);
  copyFileSync(next.key, keyFile);
  copyFileSync(other.file, clientCa);
  const after = identity(other.issue("admin", masters));
  await expect
    .poll(() => ask(server, "/pods", after), { timeout: 10_000 })
    .toMatchObject({ status: 200, servedBy: "kubelet-2" });
  expect((await ask(server, "/pods", before)).status).toBe(401);
});

test("certificates are ignored while the authorities of clients are unknown", async () => {
  const { authority, files } = servingFiles();
  const { certificate } = files;
  const server = await serve(nobody, { files: { certificate }, access: { anonymous: true } });
  const admin = identity(authority.issue("admin", masters));
  expect(await ask(server, "/pods", admin)).toMatchObject({ status: 200, text: "pods" });
});

test("scrapers reuse their connection", async () => {
  const { authority, files } = servingFiles();
  const server = await serve(nobody, { files, access: { anonymous: false } });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const options = { ...identity(authority.issue("admin")), agent, rejectUnauthorized: false };
  const ports: unknown[] = [];
  for (const path of ["/metrics", "/pods"])
    await new Promise<void>((resolve, reject) => {
      const sent = httpsRequest(
        { host: "127.0.0.1", port: server.port, path, ...options },
        (response) => {
          ports.push(response.socket.localPort);
          response.resume().on("end", resolve);
        },
      );
      sent.on("error", reject).end();
    });
  expect(new Set(ports).size).toBe(1);
});

test("old versions of TLS are refused as configured", async () => {
  const { files } = servingFiles();
  const server = await serve(nobody, { files: { ...files, protocol: { minVersion: "TLSv1.3" } } });
  const outcome = await new Promise((resolve) => {
    const options = { maxVersion: "TLSv1.2", rejectUnauthorized: false } as const;
    const socket = connectTls({ host: "127.0.0.1", port: server.port, ...options });
    socket.on("secureConnect", () => resolve("connected"));
    socket.on("error", ({ message }) => resolve(message));
    onTestFinished(() => void socket.destroy());
  });
  expect(outcome).toMatch(/protocol version/);
});

test("the read-only port and the port of health need no credentials", async () => {
  const { files } = servingFiles();
  const [readOnlyPort, health] = [await freePort(), await freePort()];
  const metrics = new MetricsRegistry();
  const healthz = { address: "127.0.0.1", port: health };
  await serve(nobody, { files, readOnlyPort, healthz }, metrics);
  // A second kubelet starts although the port of health is taken.
  await serve(nobody, { files, healthz });
  const get = async (port: number, path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return [response.status, await response.text()];
  };
  expect(await get(readOnlyPort, "/pods")).toEqual([200, "pods"]);
  expect(await get(readOnlyPort, "/exec/a/b/c")).toEqual([405, "Debug endpoints are disabled.\n"]);
  expect(await get(readOnlyPort, "/configz")).toEqual([404, "404 page not found\n"]);
  expect(await get(health, "/healthz")).toEqual([200, "ok"]);
  expect(await get(health, "/pods")).toEqual([404, "404 page not found\n"]);
  expect(metrics.text()).toContain(
    'kubelet_http_requests_total{long_running="false",method="GET",path="pods",server_type="readonly"} 1\n',
  );
  expect(metrics.text()).toContain(
    'kubelet_http_inflight_requests{long_running="true",method="GET",path="exec",server_type="readonly"} 0\n',
  );
});
