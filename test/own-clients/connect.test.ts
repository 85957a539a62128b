import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { SelfSubjectReview } from "../../src/api/authentication/v1/self-subject-review.ts";
import { ConfigMap } from "../../src/api/core/v1/config-map.ts";
import { Namespace } from "../../src/api/core/v1/namespace.ts";
import { ServiceAccount } from "../../src/api/core/v1/service-account.ts";
import type { Client } from "../../src/client/client.ts";
import { connect } from "../../src/kubeconfig/connect.ts";
import { setEntry } from "../../src/kubeconfig/edit-kubeconfig.ts";
import { parseKubeconfig } from "../../src/kubeconfig/parse-kubeconfig.ts";
import { startWith, testDir } from "../support/apiserver.test-support.ts";

for (const protocol of ["h2", "http/1.1"] as const)
  test(`a client that connects by a kubeconfig reads, writes and watches by ${protocol}`, async () => {
    const server = await startWith(testDir());
    const connection = await connect({ path: server.kubeconfig, protocols: [protocol] });
    const { client, context, namespace } = connection;
    expect([context, namespace]).toEqual(["wherry", "default"]);
    const { metadata } = await client.list(Namespace);
    const seen: string[] = [];
    const watching = (async () => {
      const { resourceVersion } = metadata;
      for await (const event of client.watch(Namespace, { resourceVersion })) {
        if (event.type === "BOOKMARK") continue;
        seen.push(`${event.type} ${event.object.metadata.name}`);
        if (seen.length === 2) break;
      }
    })();
    await client.create(Namespace, { metadata: { name: "one" } });
    await client.delete(Namespace, { name: "one" });
    await watching;
    expect(seen).toEqual(["ADDED one", "MODIFIED one"]);
    await expect(client.get(ConfigMap, { name: "no" })).rejects.toMatchObject({
      reason: "NotFound",
    });
    connection.close();
  });

test("a kubeconfig can impersonate a user, and a client another one", async () => {
  const server = await startWith(testDir());
  const config = parseKubeconfig(readFileSync(server.kubeconfig, "utf8"));
  const asOther = setEntry(config, "users", {
    name: "admin",
    as: "jane",
    "as-groups": ["a", "b"],
    "as-uid": "7",
    "as-user-extra": { "example.com/Scope": ["x", "y"] },
  });
  const { client, close } = await connect({ kubeconfig: asOther });
  onTestFinished(close);
  const me = async (as: Client): Promise<unknown> =>
    (await as.create(SelfSubjectReview, {})).status?.userInfo;
  expect(await me(client)).toEqual({
    username: "jane",
    uid: "7",
    groups: ["a", "b", "system:authenticated"],
    extra: { "example.com/scope": ["x", "y"] },
  });
  expect(await me(client.as({ user: "joe" }))).toMatchObject({ username: "joe" });
});

test("in a pod the client finds cluster, namespace and token, and reads a rotated token", async () => {
  const dir = testDir();
  const server = await startWith(dir);
  const admin = await connect({ path: server.kubeconfig });
  onTestFinished(admin.close);
  await admin.client.create(ServiceAccount, { metadata: { name: "robot" } });
  const token = (): Promise<string> => tokenOf(admin.client);
  const serviceAccountDir = join(dir, "account");
  mkdirSync(serviceAccountDir);
  const write = (name: string, text: string): void =>
    writeFileSync(join(serviceAccountDir, name), text);
  write("ca.crt", readFileSync(join(server.dir, "pki", "ca.crt"), "utf8"));
  write("token", "not one");
  write("namespace", "default\n");
  const { client, namespace, context, close } = await connect({
    env: {
      KUBECONFIG: join(dir, "nothing"),
      KUBERNETES_SERVICE_HOST: "127.0.0.1",
      KUBERNETES_SERVICE_PORT: String(server.port),
    },
    serviceAccountDir,
  });
  onTestFinished(close);
  expect([namespace, context]).toEqual(["default", undefined]);
  const me = async (): Promise<string | undefined> =>
    (await client.create(SelfSubjectReview, {})).status?.userInfo?.username;
  await expect(me()).rejects.toMatchObject({ reason: "Unauthorized" });
  // That the server refuses the old one is reason enough to look.
  write("token", `${await token()}\n`);
  expect(await me()).toBe("system:serviceaccount:default:robot");
});

test("a credential plugin is run once, and again when its token is rejected", async () => {
  const dir = testDir();
  const server = await startWith(dir);
  const admin = await connect({ path: server.kubeconfig });
  onTestFinished(admin.close);
  await admin.client.create(ServiceAccount, { metadata: { name: "robot" } });
  const token = await tokenOf(admin.client);
  const tokenFile = join(dir, "token");
  const runs = join(dir, "runs");
  const plugin = join(dir, "plugin.mjs");
  writeFileSync(tokenFile, "old");
  writeFileSync(
    plugin,
    `import { appendFileSync, readFileSync } from "node:fs";
    appendFileSync(${JSON.stringify(runs)}, process.env.KUBERNETES_EXEC_INFO);
    const token = readFileSync(${JSON.stringify(tokenFile)}, "utf8");
    const apiVersion = "client.authentication.k8s.io/v1";
    console.log(JSON.stringify({ apiVersion, kind: "ExecCredential", status: { token } }));`,
  );
  const config = parseKubeconfig(readFileSync(server.kubeconfig, "utf8"));
  const withPlugin = setEntry(config, "users", {
    name: "admin",
    "client-certificate-data": undefined,
    "client-key-data": undefined,
    exec: {
      apiVersion: "client.authentication.k8s.io/v1",
      command: process.execPath,
      args: [plugin],
      interactiveMode: "Never",
      provideClusterInfo: true,
    },
  });
  const { client, close } = await connect({ kubeconfig: withPlugin });
  onTestFinished(close);
  const me = async (): Promise<string | undefined> =>
    (await client.create(SelfSubjectReview, {})).status?.userInfo?.username;
  await expect(me()).rejects.toMatchObject({ reason: "Unauthorized" });
  writeFileSync(tokenFile, token);
  const names = await Promise.all(Array.from({ length: 20 }, me));
  expect(new Set(names)).toEqual(new Set(["system:serviceaccount:default:robot"]));
  const told = readFileSync(runs, "utf8").trim().split("\n");
  // Once at first, once for the first refusal, once for all of the twenty.
  expect(told.length).toBe(3);
  expect(JSON.parse(told[0] ?? "")).toMatchObject({
    kind: "ExecCredential",
    apiVersion: "client.authentication.k8s.io/v1",
    spec: { interactive: false, cluster: { server: `https://127.0.0.1:${server.port}` } },
  });
});

/** A token of the account `robot`. */
async function tokenOf(client: Client): Promise<string> {
  const response = await client.raw({
    method: "POST",
    path: "/api/v1/namespaces/default/serviceaccounts/robot/token",
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
  });
  return ((await response.value()) as { status: { token: string } }).status.token;
}
