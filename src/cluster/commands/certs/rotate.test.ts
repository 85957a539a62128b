import { X509Certificate } from "node:crypto";
import { readFileSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { ask, testDir } from "../../../../test/support/apiserver.test-support.ts";
import { clusterInfo, clusterInfoKubeconfig } from "../../../api/core/v1/cluster-info.ts";
import { ConfigMap } from "../../../api/core/v1/config-map.ts";
import { Namespace } from "../../../api/core/v1/namespace.ts";
import { sleep } from "../../../base/clock.ts";
import { commandRunner } from "../../../cli/run-command.test-support.ts";
import { createClient } from "../../../client/client.ts";
import { connect } from "../../../kubeconfig/connect.ts";
import { followKubeconfig } from "../../../kubeconfig/follow-kubeconfig.ts";
import { httpsTransport } from "../../../kubeconfig/https-transport.ts";
import { readCertificates } from "../../../platform/pki/kept-certificates.ts";
import { certificatesIn } from "../../../platform/pki/pem-certificates.ts";
import { isSignedBy } from "../../../platform/pki/pki.ts";
import { realClock } from "../../../platform/real-clock.ts";
import { parseJwt } from "../../../schema/values/jwt.ts";
import { addressIn } from "../../join/publish-cluster-info.ts";
import { startOptions } from "../apiserver/apiserver-options.ts";
import { givenFlags } from "../apiserver/flags/given-flags.test-support.ts";
import { startServer } from "../server/server-command.ts";
import { certsCommand } from "./certs-command.ts";

const run = commandRunner(certsCommand);

/** A whole control plane without nodes, and a client that follows its kubeconfig. */
async function start() {
  const dir = join(testDir(), "data");
  const flags = givenFlags(["--data-dir", dir, "--secure-port=0"]);
  const server = await startServer({ ...(await startOptions(flags)), nodes: 0 });
  onTestFinished(() => server.close());
  const transport = httpsTransport(await followKubeconfig({ path: server.kubeconfig }));
  onTestFinished(() => transport.close());
  return { dir, server, client: createClient(transport, { clock: realClock }) };
}

/** Sends requests on a kept connection and on new ones, one after the other, until it is ended. */
function busy({ client, server }: Pick<Awaited<ReturnType<typeof start>>, "client" | "server">) {
  const failures: unknown[] = [];
  let isEnded = false;
  onTestFinished(() => {
    isEnded = true;
  });
  const repeat = async (send: () => Promise<unknown>): Promise<number> => {
    let count = 0;
    while (!isEnded) {
      await send().then(
        () => count++,
        (error: unknown) => failures.push(error),
      );
      await sleep(realClock, 20);
    }
    return count;
  };
  const anew = async (): Promise<void> => {
    const one = await connect({ path: server.kubeconfig, inCluster: false });
    try {
      await one.client.list(ConfigMap, { namespace: "kube-system" });
    } finally {
      one.close();
    }
  };
  const kept = () => client.list(Namespace);
  const running = Promise.all([repeat(anew), repeat(kept)]);
  return async () => {
    isEnded = true;
    return { counts: await running, failures };
  };
}

/** The certificate that a server presents now. */
const presented = (port: number): Promise<X509Certificate> =>
  new Promise((resolve, reject) => {
    const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
      const certificate = socket.getPeerX509Certificate();
      socket.destroy();
      if (certificate) resolve(certificate);
      else reject(new Error("the server has no certificate"));
    });
    socket.on("error", reject);
  });

test("wherry certs rotate-ca: everybody trusts the new authority before it signs, and no request fails", async () => {
  const { dir, server, client } = await start();
  const end = busy({ client, server });
  const pki = (name: string): string => readFileSync(join(dir, "pki", name), "utf8");
  const [old, oldCert, oldKey] = [pki("ca.crt"), pki("admin.crt"), pki("admin.key")];
  const bundle = async (namespace: string, name: string, key: string) =>
    (await client.get(ConfigMap, { namespace, name })).data?.[key] ?? "";
  /** How many authorities each place has. */
  const published = async (): Promise<readonly number[]> => {
    const pems = [
      await bundle("default", "kube-root-ca.crt", "ca.crt"),
      addressIn(await bundle(clusterInfo.namespace, clusterInfo.name, clusterInfoKubeconfig))?.ca,
      await bundle("kube-system", "extension-apiserver-authentication", "client-ca-file"),
      await bundle(
        "kube-system",
        "extension-apiserver-authentication",
        "requestheader-client-ca-file",
      ),
    ];
    return pems.map((pem = "") => certificatesIn(pem).length);
  };
  const says = async (text: string, ...flags: string[]) =>
    expect(await run("rotate-ca", "--data-dir", dir, ...flags)).toMatchObject({
      code: 0,
      stdout: ["ca", "kubelet-ca", "front-proxy-ca"].map((name) => `${name}: ${text}\n`).join(""),
    });
  await says("not being rotated", "--status");
  expect(await published()).toEqual([1, 1, 1, 1]);

  await says("the next one is trusted, and not used yet");
  await expect.poll(published, { timeout: 30_000 }).toEqual([2, 2, 2, 2]);
  const isOld = async () => isSignedBy(await presented(server.port), new X509Certificate(old));
  expect(await isOld()).toBe(true);

  const { code, stderr } = await run("rotate-ca", "--data-dir", dir);
  expect([code, stderr]).toEqual([0, ""]);
  const due = (await readCertificates(join(dir, "pki"), new Date())).filter(({ isDue }) => isDue);
  expect(due).toEqual([]);
  await expect.poll(isOld, { timeout: 30_000 }).toBe(false);
  // What the old authority has signed is accepted until the last step.
  const byOld = { cert: oldCert, key: oldKey };
  expect((await ask(server, "/api/v1/namespaces", byOld)).status).toBe(200);
  const { stdout: table } = await run("check", "--data-dir", dir);
  expect(table).toMatch(/^ca \(previous\) /m);

  await says("not being rotated");
  await expect.poll(published, { timeout: 30_000 }).toEqual([1, 1, 1, 1]);
  expect(certificatesIn(pki("ca.crt")).map((one) => one.fingerprint256)).not.toContain(
    new X509Certificate(old).fingerprint256,
  );
  await expect.poll(async () => (await ask(server, "/api/v1/namespaces", byOld)).status).toBe(401);
  const { counts, failures } = await end();
  expect([failures, counts.every((count) => count > 3)]).toEqual([[], true]);
}, 180_000);

test("wherry certs rotate-service-account-keys: old tokens are valid until the old key is dropped", async () => {
  const { dir, server, client } = await start();
  const issue = async (): Promise<string> => {
    const response = await client.raw({
      method: "POST",
      path: "/api/v1/namespaces/default/serviceaccounts/default/token",
      body: { spec: {} },
    });
    return ((await response.value()) as { status: { token: string } }).status.token;
  };
  const keyOf = (token: string) => parseJwt(token)?.header.kid;
  const published = async (): Promise<readonly string[]> => {
    const response = await client.raw({ method: "GET", path: "/openid/v1/jwks" });
    return ((await response.value()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
  };
  const status = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return (await ask(server, "/apis/authentication.k8s.io", { headers })).status;
  };
  const rotate = (...flags: string[]) =>
    run("rotate-service-account-keys", "--data-dir", dir, ...flags);
  await expect.poll(issue, { timeout: 30_000 }).toBeTruthy();
  const old = await issue();
  expect(await published()).toEqual([keyOf(old)]);

  expect((await rotate()).code).toBe(0);
  await expect.poll(async () => (await published()).length, { timeout: 30_000 }).toBe(2);
  expect(keyOf(await issue())).toBe(keyOf(old));

  expect((await rotate()).code).toBe(0);
  await expect.poll(async () => keyOf(await issue()), { timeout: 30_000 }).not.toBe(keyOf(old));
  const renewed = await issue();
  expect([await status(old), await status(renewed)]).toEqual([200, 200]);
  expect(new Set(await published())).toEqual(new Set([keyOf(old), keyOf(renewed)]));

  expect(await rotate()).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/tokens of pods may still .*: try again in (59|60)m/),
  });
  const hourAgo = Date.now() / 1000 - 3601;
  utimesSync(join(dir, "pki", "sa-previous.pub"), hourAgo, hourAgo);
  expect((await rotate()).stdout).toBe("service-account-keys: not being rotated\n");
  await expect.poll(() => status(old), { timeout: 30_000 }).toBe(401);
  expect(await published()).toEqual([keyOf(renewed)]);
}, 120_000);
