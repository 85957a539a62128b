import { writeFileSync } from "node:fs";
import { createServer, request as forward } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { testDir } from "../../../test/support/apiserver.test-support.ts";
import { Node } from "../../api/core/v1/node/node.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import { noLog } from "../../base/log.ts";
import { createClient } from "../../client/client.ts";
import { httpsTransport } from "../../kubeconfig/https-transport.ts";
import { formatKubeconfig } from "../../kubeconfig/parse-kubeconfig.ts";
import { selfSigned } from "../../platform/pki/self-signed.ts";
import { realClock } from "../../platform/real-clock.ts";
import { systemRandom } from "../../platform/system-entropy.ts";
import { openNodeConnection } from "../node/open-node-connection.ts";
import { bootstrapKubeconfig, type DiscoveryOptions, discoverCluster } from "./discover-cluster.ts";
import { addTestToken, startJoiningServer, testToken } from "./joining-server.test-support.ts";
import { publicKeyPin } from "./public-key-pin.ts";

async function start() {
  const { server, client } = await startJoiningServer();
  await addTestToken(client);
  const discover = (options: Partial<DiscoveryOptions> = {}) =>
    discoverCluster({
      server: `127.0.0.1:${server.port}`,
      token: testToken,
      caHashes: [publicKeyPin(server.rootCa)],
      clock: realClock,
      log: noLog,
      signal: new AbortController().signal,
      ...options,
    });
  return { server, client, discover };
}

test("a machine that knows a token and the hash of the CA becomes a node", async () => {
  const { server, discover } = await start();
  const address = await discover();
  expect(address).toEqual({
    server: `https://127.0.0.1:${server.port}`,
    ca: server.rootCa,
    serverName: undefined,
  });
  const dir = testDir();
  const path = join(dir, "bootstrap.kubeconfig");
  writeFileSync(path, formatKubeconfig(bootstrapKubeconfig(address, testToken)));
  const { connection, close } = await openNodeConnection({
    kubeconfig: join(dir, "kubelet.kubeconfig"),
    bootstrapKubeconfig: path,
    certDir: join(dir, "pki"),
    nodeName: "n",
    rotates: true,
    clock: realClock,
    random: systemRandom,
    log: noLog,
    signal: new AbortController().signal,
  });
  onTestFinished(close);
  const transport = httpsTransport(connection);
  onTestFinished(() => transport.close());
  const node = createClient(transport, { clock: realClock });
  await node.create(Node, { metadata: { name: "n" } });
  await expect(node.list(Secret)).rejects.toThrow(/forbidden: User "system:node:n" cannot list/);
});

test("a cluster with another CA is not trusted", async () => {
  const { discover } = await start();
  const other = selfSigned({ name: "a", ips: [], now: new Date() });
  await expect(discover({ caHashes: [publicKeyPin(other.cert)] })).rejects.toThrow(
    /^cluster CA found in cluster-info ConfigMap is invalid/,
  );
});

test("a cluster that does not know the secret of the token is not trusted", async () => {
  const { discover } = await start();
  await expect(discover({ token: "abcdef.fedcba9876543210" })).rejects.toThrow(
    "failed to verify JWS signature of received cluster info object, can't trust this API Server",
  );
});

test("a server between the machine and the cluster is found out by its certificate", async () => {
  const { server, discover } = await start();
  const { cert, key } = selfSigned({ name: "localhost", ips: ["127.0.0.1"], now: new Date() });
  const between = createServer({ cert, key }, ({ url: path, headers }, response) => {
    const to = { host: "127.0.0.1", port: server.port, path, headers, rejectUnauthorized: false };
    forward(to, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    }).end();
  });
  await new Promise<void>((resolve) => between.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void between.close());
  const { port } = between.address() as AddressInfo;
  // The cluster signs with a new token within moments; what follows is not about that.
  await discover();
  const at = { server: `https://127.0.0.1:${port}`, timeoutMs: 2000 };
  await expect(discover(at)).rejects.toThrow("failed to request the cluster-info ConfigMap");
  // Without a hash, it is not: the content of cluster-info is right, and leads to the cluster itself.
  expect(await discover({ ...at, caHashes: [] })).toMatchObject({
    server: `https://127.0.0.1:${server.port}`,
  });
});

test("a token that the cluster does not have is an error after a while", async () => {
  const { discover } = await start();
  const token = "zzzzzz.0123456789abcdef";
  await expect(discover({ token, timeoutMs: 500 })).rejects.toThrow(
    'could not find a JWS signature in the cluster-info ConfigMap for token ID "zzzzzz"',
  );
});

test("malformed tokens and hashes are errors", async () => {
  const { discover } = await start();
  await expect(discover({ token: "secret" })).rejects.toThrow(
    'the bootstrap token was not of the form "[a-z0-9]{6}.[a-z0-9]{16}"',
  );
  await expect(discover({ caHashes: ["a"] })).rejects.toThrow(
    'invalid discovery token CA certificate hash: invalid hash, expected "format:hex-value"',
  );
});
