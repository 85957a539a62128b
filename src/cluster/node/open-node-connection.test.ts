import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { testDir } from "../../../test/support/apiserver.test-support.ts";
import { CertificateSigningRequest } from "../../api/certificates/v1/certificate-signing-request.ts";
import { Node } from "../../api/core/v1/node/node.ts";
import { noLog } from "../../base/log.ts";
import { createClient } from "../../client/client.ts";
import { httpsTransport } from "../../kubeconfig/https-transport.ts";
import { formatKubeconfig, parseKubeconfig } from "../../kubeconfig/parse-kubeconfig.ts";
import { realClock } from "../../platform/real-clock.ts";
import { systemRandom } from "../../platform/system-entropy.ts";
import {
  addTestToken,
  startJoiningServer,
  testToken,
} from "../join/joining-server.test-support.ts";
import { type NodeConnectionOptions, openNodeConnection } from "./open-node-connection.ts";

async function start() {
  const { server, client } = await startJoiningServer();
  await addTestToken(client);
  const dir = testDir();
  const bootstrapKubeconfig = join(dir, "bootstrap.kubeconfig");
  const { server: url, ca } = server.publicAddress;
  const authority = { "certificate-authority-data": Buffer.from(ca).toString("base64") };
  const config = {
    clusters: [{ name: "c", cluster: { server: url, ...authority } }],
    users: [{ name: "u", user: { token: testToken } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  };
  writeFileSync(bootstrapKubeconfig, formatKubeconfig(config));
  const options: NodeConnectionOptions = {
    kubeconfig: join(dir, "etc", "kubelet.kubeconfig"),
    bootstrapKubeconfig,
    certDir: join(dir, "pki"),
    nodeName: "n",
    rotates: true,
    clock: realClock,
    random: systemRandom,
    log: noLog,
    signal: new AbortController().signal,
  };
  const open = async (more: Partial<NodeConnectionOptions> = {}) => {
    const { connection, close } = await openNodeConnection({ ...options, ...more });
    onTestFinished(close);
    const transport = httpsTransport(connection);
    onTestFinished(() => transport.close());
    return createClient(transport, { clock: realClock });
  };
  return { client, open, options, server };
}

test("a machine with a token becomes a node, and writes its kubeconfig", async () => {
  const { client, open, options } = await start();
  const node = await open();
  await node.create(Node, { metadata: { name: "n" } });
  const { kubeconfig, certDir } = options;
  expect(statSync(kubeconfig).mode & 0o777).toBe(0o600);
  const pem = join(certDir, "kubelet-client-current.pem");
  const { users, contexts } = parseKubeconfig(readFileSync(kubeconfig, "utf8"));
  expect(users?.[0]?.user).toEqual({ "client-certificate": pem, "client-key": pem });
  expect(contexts?.[0]?.name).toBe("default-context");

  // The kubeconfig is enough from now on.
  const again = await open({ bootstrapKubeconfig: undefined });
  expect((await again.get(Node, { name: "n" })).metadata.name).toBe("n");
  const fixed = await open({ bootstrapKubeconfig: undefined, rotates: false });
  expect((await fixed.get(Node, { name: "n" })).metadata.name).toBe("n");
  expect((await client.list(CertificateSigningRequest)).items).toHaveLength(1);
});

test("a kubeconfig with the certificate of somebody else leads to one of the node", async () => {
  const { client, open, options, server } = await start();
  await open({ kubeconfig: server.kubeconfig, bootstrapKubeconfig: undefined });
  await expect
    .poll(async () => (await client.list(CertificateSigningRequest)).items[0]?.status.certificate)
    .toBeTruthy();
  const current = join(options.certDir, "kubelet-client-current.pem");
  await expect.poll(() => statSync(current).isFile()).toBe(true);
});

test("without valid credentials, it says what to do", async () => {
  const { open, options } = await start();
  await expect(open({ bootstrapKubeconfig: undefined })).rejects.toThrow(
    `${options.kubeconfig} has no valid credentials: give a bootstrap kubeconfig, or join the cluster again`,
  );
});
