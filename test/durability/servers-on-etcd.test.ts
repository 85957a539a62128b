import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startOptions } from "../../src/cluster/commands/apiserver/apiserver-options.ts";
import { givenFlags } from "../../src/cluster/commands/apiserver/flags/given-flags.test-support.ts";
import { startServer } from "../../src/cluster/commands/server/server-command.ts";
import {
  type EtcdServers,
  hasEtcd,
  startEtcdServers,
  until,
} from "../../src/store/etcd/etcd-server.test-support.ts";
import { testDir } from "../support/apiserver.test-support.ts";
import { adminOf, type Body, type HttpsClient } from "../support/https-client.test-support.ts";

const deployments = "/apis/apps/v1/namespaces/default/deployments";
const pods = "/api/v1/namespaces/default/pods";

/** A whole cluster in this process, on an etcd that others may use. */
async function serve(etcd: EtcdServers) {
  const dir = join(testDir(), "data");
  const flags = ["--data-dir", dir, "--secure-port=0", `--etcd-servers=${etcd.endpoints}`];
  const server = await startServer({ ...(await startOptions(givenFlags(flags))), nodes: 1 });
  const client = adminOf(dir, server.port);
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    client.close();
    await server.close();
  };
  onTestFinished(close);
  return { client, close };
}

const running = async (client: HttpsClient): Promise<number> => {
  const { body } = await client.call("GET", pods);
  return (body.items as readonly (Body & { status?: { phase?: string } })[]).filter(
    ({ status }) => status?.phase === "Running",
  ).length;
};

describe.skipIf(!hasEtcd)("several clusters in one process each, on one etcd", () => {
  test("of two instances of each component one leads, and the other takes over when it stops", async () => {
    const etcd = await startEtcdServers();
    onTestFinished(() => etcd.stop());
    const [one, other] = [await serve(etcd), await serve(etcd)];
    const labels = { app: "web" };
    const template = {
      metadata: { labels },
      spec: { containers: [{ name: "c", image: "nginx" }] },
    };
    const spec = { replicas: 3, selector: { matchLabels: labels }, template };
    await one.client.call("POST", deployments, { body: { metadata: { name: "web" }, spec } });
    await until(async () => (await running(other.client)) === 3);
    const made = (await other.client.call("GET", pods)).body.items.length;
    await one.close();
    const patch = { body: { spec: { replicas: 5 } }, headers: { "content-type": mergePatch } };
    await other.client.call("PATCH", `${deployments}/web`, patch);
    await until(async () => (await running(other.client)) === 5);
    const { body } = await other.client.call("GET", pods);
    expect([made, body.items.length]).toEqual([3, 5]);
  }, 120_000);
});

const mergePatch = "application/merge-patch+json";
