import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import {
  ask,
  startWith,
  TestAuthority,
  testDir,
} from "../../../test/support/apiserver.test-support.ts";
import { freePort } from "../../../test/support/wherry-process.test-support.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { ClusterRole } from "../../api/rbac/v1/cluster-role.ts";
import { ClusterRoleBinding } from "../../api/rbac/v1/cluster-role-binding.ts";
import { textResponse } from "../../apiserver/request/respond.ts";
import { noLog } from "../../base/log.ts";
import { TokenRequest } from "../../client/subresource-kinds.ts";
import { connect } from "../../kubeconfig/connect.ts";
import { givenControllerManagerFlags } from "../commands/controller-manager/flags/given-controller-manager-flags.test-support.ts";
import { openComponentServer } from "./component-server.ts";

/** A component that responds with the requested path, until the test ends. */
async function serve(...args: string[]): Promise<{ readonly port: number }> {
  const { flags } = givenControllerManagerFlags(`--secure-port=${await freePort()}`, ...args);
  const server = await openComponentServer({
    name: "kube-controller-manager",
    flags,
    log: noLog,
    routes: (_, path) => (path === "/nothing" ? undefined : textResponse(200, path)),
  });
  if (!server) throw new Error("it does not serve");
  onTestFinished(() => server.close());
  return server;
}

const messageOf = (text: string): string =>
  text.startsWith("{") ? JSON.parse(text).message : text;

test("authentication and authorization by the API server", async () => {
  const api = await startWith(testDir());
  const { client, close } = await connect({ path: api.kubeconfig });
  onTestFinished(close);
  const token = async (name: string) => {
    const key = { namespace: "default", name };
    await client.create(ServiceAccount, { metadata: key });
    const { status } = await client
      .subresource(ServiceAccount, key, "token")
      .create(TokenRequest, { spec: { audiences: [] } });
    return { headers: { authorization: `Bearer ${status?.token}` } };
  };
  const [nobody, reader] = [await token("nobody"), await token("reader")];
  await client.create(ClusterRole, {
    metadata: { name: "reader" },
    rules: [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }],
  });
  await client.create(ClusterRoleBinding, {
    metadata: { name: "reader" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "reader" },
    subjects: [{ kind: "ServiceAccount", name: "reader", namespace: "default" }],
  });
  const pki = `${api.dir}/pki`;
  const admin = {
    cert: readFileSync(`${pki}/admin.crt`, "utf8"),
    key: readFileSync(`${pki}/admin.key`, "utf8"),
  };
  const strangerFiles = new TestAuthority(testDir()).issue("admin", {
    organizations: ["system:masters"],
  });
  const stranger = {
    cert: readFileSync(strangerFiles.cert, "utf8"),
    key: readFileSync(strangerFiles.key, "utf8"),
  };
  const server = await serve(
    `--authentication-kubeconfig=${api.kubeconfig}`,
    `--authorization-kubeconfig=${api.kubeconfig}`,
  );
  const bad = { headers: { authorization: "Bearer nonsense" } };
  const rows: [who: string, path: string, options: object, status: number, text: string][] = [
    ["anybody", "/healthz", {}, 200, "/healthz"],
    ["anybody", "/readyz", {}, 200, "/readyz"],
    [
      "anybody",
      "/metrics",
      {},
      403,
      'forbidden: User "system:anonymous" cannot get path "/metrics"',
    ],
    [
      "anybody",
      "/healthz/ping",
      {},
      403,
      'forbidden: User "system:anonymous" cannot get path "/healthz/ping"',
    ],
    [
      "anybody",
      "/nothing",
      {},
      403,
      'forbidden: User "system:anonymous" cannot get path "/nothing"',
    ],
    ["a wrong token", "/healthz", bad, 401, "Unauthorized"],
    [
      "an account",
      "/metrics",
      nobody,
      403,
      'forbidden: User "system:serviceaccount:default:nobody" cannot get path "/metrics"',
    ],
    ["an account that may", "/metrics", reader, 200, "/metrics"],
    [
      "an account that may",
      "/configz",
      reader,
      403,
      'forbidden: User "system:serviceaccount:default:reader" cannot get path "/configz"',
    ],
    [
      "an account that may",
      "/metrics",
      { ...reader, method: "DELETE" },
      403,
      'forbidden: User "system:serviceaccount:default:reader" cannot delete path "/metrics"',
    ],
    ["the administrator", "/configz", admin, 200, "/configz"],
    ["the administrator", "/nothing", admin, 404, "404 page not found\n"],
    ["a stranger's certificate", "/configz", stranger, 401, "Unauthorized"],
  ];
  const answers = await Promise.all(
    rows.map(async ([who, path, options]) => {
      const { status, text } = await ask(server, path, options);
      return [who, path, options, status, messageOf(text)];
    }),
  );
  expect(answers).toEqual(rows);
});

test("without kubeconfigs, only public paths are served, and tokens are rejected", async () => {
  const server = await serve("--authorization-always-allow-paths=/healthz,/open/*");
  const bad = { headers: { authorization: "Bearer nonsense" } };
  const answers = ["/healthz", "/open/a/b", "/readyz", "/metrics"].map(
    async (path) => (await ask(server, path, bad)).status,
  );
  expect(await Promise.all(answers)).toEqual([200, 200, 403, 403]);
});

test("--client-ca-file replaces the lookup of the CA at the API server", async () => {
  const dir = testDir();
  const authority = new TestAuthority(dir);
  const { cert, key } = authority.issue("ops", { organizations: ["system:masters"] });
  const server = await serve(`--client-ca-file=${authority.file}`);
  const shown = { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  expect((await ask(server, "/metrics", shown)).status).toBe(200);
});

test("front proxies name callers: those that the API server publishes, or those of a file", async () => {
  const api = await startWith(testDir());
  const own = {
    cert: readFileSync(`${api.dir}/pki/front-proxy-client.crt`, "utf8"),
    key: readFileSync(`${api.dir}/pki/front-proxy-client.key`, "utf8"),
  };
  const names = { "x-remote-user": "root", "x-remote-group": "system:masters" };
  const published = await serve(`--authentication-kubeconfig=${api.kubeconfig}`);
  expect((await ask(published, "/metrics", { ...own, headers: names })).status).toBe(200);
  expect((await ask(published, "/metrics", own)).status).toBe(401);

  const authority = new TestAuthority(testDir());
  const { cert, key } = authority.issue("proxy");
  const proxy = { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  const given = await serve(
    `--authentication-kubeconfig=${api.kubeconfig}`,
    `--requestheader-client-ca-file=${authority.file}`,
    "--requestheader-allowed-names=proxy",
    "--requestheader-username-headers=X-User",
  );
  const mine = { "x-user": "root", "x-remote-group": "system:masters" };
  expect((await ask(given, "/metrics", { ...proxy, headers: mine })).status).toBe(200);
  expect((await ask(given, "/metrics", { ...proxy, headers: names })).status).toBe(401);
  expect((await ask(given, "/metrics", { ...own, headers: mine })).status).toBe(401);
});

test("creates a certificate if none is given, and keeps it in --cert-dir", async () => {
  const dir = testDir();
  expect((await ask(await serve(), "/healthz")).servedBy).toMatch(/^localhost@\d+$/);
  const { servedBy } = await ask(await serve(`--cert-dir=${dir}`), "/healthz");
  expect((await ask(await serve(`--cert-dir=${dir}`), "/healthz")).servedBy).toBe(servedBy);
  expect(readFileSync(`${dir}/kube-controller-manager.crt`, "utf8")).toContain("BEGIN CERTIFICATE");
});

test("does not start if the lookup at the API server fails, unless that is tolerated", async () => {
  const dir = testDir();
  const api = await startWith(dir);
  const { client, close } = await connect({ path: api.kubeconfig });
  onTestFinished(close);
  await client.list(Secret);
  await api.close();
  const asking = `--authentication-kubeconfig=${api.kubeconfig}`;
  await expect(serve(asking)).rejects.toThrow(
    /^unable to load configmap based client CA file: .*--authentication-tolerate-lookup-failure/,
  );
  const server = await serve(asking, "--authentication-tolerate-lookup-failure");
  expect((await ask(server, "/healthz")).status).toBe(200);
});

test("port 0 disables serving", async () => {
  const { flags } = givenControllerManagerFlags("--secure-port=0");
  const nothing = { name: "x", flags, log: noLog, routes: () => undefined };
  expect(await openComponentServer(nothing)).toBeUndefined();
});

test("the error names a port that is in use", async () => {
  const { port } = await serve();
  const { flags } = givenControllerManagerFlags(`--secure-port=${port}`);
  const again = openComponentServer({ name: "x", flags, log: noLog, routes: () => undefined });
  await expect(again).rejects.toThrow(`port ${port} of 127.0.0.1 is in use: `);
});
