import { readFileSync } from "node:fs";
import type { RequestOptions } from "node:https";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { requires, testWith } from "../../../test/requires.ts";
import {
  ask,
  startWith,
  TestAuthority,
  testDir,
} from "../../../test/support/apiserver.test-support.ts";
import { APIService } from "../../api/apiregistration/v1/api-service.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import { Service } from "../../api/core/v1/service/service.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { ClusterRole } from "../../api/rbac/v1/cluster-role.ts";
import { ClusterRoleBinding } from "../../api/rbac/v1/cluster-role-binding.ts";
import { TokenRequest } from "../../client/subresource-kinds.ts";
import { createManager } from "../../controller-runtime/manager/manager.ts";
import { struct } from "../../custom-kinds/language/containers.ts";
import { kind } from "../../custom-kinds/language/kind.ts";
import { string } from "../../custom-kinds/language/scalars.ts";
import { connect } from "../../kubeconfig/connect.ts";
import { startEtcdServers } from "../../store/etcd/etcd-server.test-support.ts";
import { type ApiServerOptions, apiServer } from "./api-server.ts";

const group = "notes.example.com";
const Note = kind({
  group,
  version: "v1",
  kind: "Note",
  plural: "notes",
  scope: "Namespaced",
  fields: { spec: struct({ text: string() }) },
});

/** A cluster, and servers of notes for it, until the test ends. */
async function openWorld() {
  const cluster = await startWith(testDir());
  const connection = await connect({ path: cluster.kubeconfig });
  onTestFinished(() => connection.close());
  const serve = async (options: Partial<ApiServerOptions> = {}) => {
    let port = 0;
    const onListening = (at: number) => {
      port = at;
    };
    const server = apiServer({ name: "notes", kinds: [Note], onListening, ...options });
    const stop = new AbortController();
    const ended = createManager({ ...connection, runnables: [server] }).run(stop);
    const end = async (): Promise<void> => {
      stop.abort();
      await ended;
    };
    onTestFinished(end);
    await eventually(() => expect([port > 0, server.isRegistered]).toEqual([true, true]));
    return { port, end };
  };
  return { cluster, client: connection.client, serve };
}

const notes = `/apis/${group}/v1/namespaces/default/notes`;

test("clients that call the server itself are those of the cluster, with their rights", async () => {
  const { cluster, client, serve } = await openWorld();
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
    rules: [
      { nonResourceURLs: ["/metrics"], verbs: ["get"] },
      { apiGroups: [group], resources: ["notes"], verbs: ["list"] },
    ],
  });
  await client.create(ClusterRoleBinding, {
    metadata: { name: "reader" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "reader" },
    subjects: [{ kind: "ServiceAccount", name: "reader", namespace: "default" }],
  });
  const { port } = await serve();
  const pair = (name: string) => ({
    cert: readFileSync(`${cluster.dir}/pki/${name}.crt`, "utf8"),
    key: readFileSync(`${cluster.dir}/pki/${name}.key`, "utf8"),
  });
  const forged = new TestAuthority(testDir()).issue("front-proxy-client");
  const stranger = {
    cert: readFileSync(forged.cert, "utf8"),
    key: readFileSync(forged.key, "utf8"),
  };
  const asAdmin = { headers: { "x-remote-user": "root", "x-remote-group": "system:masters" } };
  const cannotList = (user: string) =>
    `notes.${group} is forbidden: User "${user}" cannot list resource "notes" in API group "${group}" in the namespace "default"`;
  const rows: [
    who: string,
    path: string,
    options: RequestOptions,
    status: number,
    text: RegExp | string,
  ][] = [
    ["anybody", "/healthz", {}, 200, "ok"],
    ["anybody", "/readyz", {}, 200, "ok"],
    [
      "anybody",
      "/metrics",
      {},
      403,
      'forbidden: User "system:anonymous" cannot get path "/metrics"',
    ],
    ["anybody", notes, {}, 403, cannotList("system:anonymous")],
    ["a wrong token", notes, { headers: { authorization: "Bearer x" } }, 401, "Unauthorized"],
    ["an account", notes, nobody, 403, cannotList("system:serviceaccount:default:nobody")],
    ["an account that may", notes, reader, 200, /"kind":"NoteList"/],
    ["an account that may", "/metrics", reader, 200, /apiserver_request_total/],
    ["the administrator", notes, pair("admin"), 200, /"kind":"NoteList"/],
    [
      "the front proxy, as somebody",
      notes,
      { ...pair("front-proxy-client"), ...asAdmin },
      200,
      /NoteList/,
    ],
    ["the front proxy itself", notes, pair("front-proxy-client"), 401, "Unauthorized"],
    [
      "a client that says it is somebody",
      notes,
      { ...nobody, headers: { ...nobody.headers, ...asAdmin.headers } },
      403,
      /:nobody/,
    ],
    ["a stranger's front proxy", notes, { ...stranger, ...asAdmin }, 401, "Unauthorized"],
  ];
  for (const [who, path, options, status, text] of rows) {
    const found = await ask({ port }, path, options);
    const said = found.text.startsWith('{"kind":"Status"')
      ? (JSON.parse(found.text) as { readonly message: string }).message
      : found.text;
    expect([who, path, found.status, said]).toEqual([
      who,
      path,
      status,
      typeof text === "string" ? text : (expect.stringMatching(text) as string),
    ]);
  }
});

test("processes of a service share their certificate, and leave it registered", async () => {
  const { client, serve } = await openWorld();
  const service = { namespace: "default", name: "notes", port: 8443 };
  const listening = { service, port: 0, address: "127.0.0.1" };
  const first = await serve(listening);
  const secret = await client.get(Secret, { namespace: "default", name: "notes-serving" });
  const { spec } = await client.get(APIService, { name: `v1.${group}` });
  expect(spec).toEqual({
    group,
    version: "v1",
    service,
    caBundle: secret.data?.["ca.crt"],
    groupPriorityMinimum: 1000,
    versionPriority: 15,
  });
  await first.end();
  await serve(listening);
  expect(await client.get(Secret, { namespace: "default", name: "notes-serving" })).toEqual(secret);
  // The service itself is written by those who deploy the pods.
  const { items } = await client.list(Service, { namespace: "default" });
  expect(items.map(({ metadata }) => metadata.name)).toEqual(["kubernetes"]);
});

testWith(requires("etcd"))("servers that share an etcd see the same objects", async () => {
  const etcd = await startEtcdServers();
  onTestFinished(() => etcd.stop());
  const { client, serve } = await openWorld();
  const store = { etcd: etcd.endpoints, prefix: "/notes" };
  const first = await serve({ store });
  await eventually(() => client.create(Note, { metadata: { name: "a" }, spec: { text: "hello" } }));
  await first.end();
  await serve({ store });
  const found = await eventually(() => client.get(Note, { name: "a" }));
  expect(found.spec).toEqual({ text: "hello" });
});
