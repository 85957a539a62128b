import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeWith, requires } from "../../../test/requires.ts";
import { realClock } from "../../platform/real-clock.ts";
import {
  type EtcdServers,
  type EtcdTls,
  etcdTls,
  startEtcdServers,
} from "../../store/etcd/etcd-server.test-support.ts";
import { openEtcdStore } from "../../store/etcd/etcd-store.ts";
import { configMap, put, runStore } from "./store-command.test-support.ts";

const map = "/registry/configmaps/default/m";

describeWith(requires("etcd"))("wherry store on etcd with TLS", () => {
  let directory = "";
  let tls: EtcdTls;
  let other: EtcdTls;
  let servers: EtcdServers;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "wherry-store-tls-"));
    tls = await etcdTls(directory);
    other = await etcdTls(await mkdtemp(join(directory, "other-")));
    servers = await startEtcdServers({ tls });
    const { endpoints } = servers;
    const store = await openEtcdStore({ endpoints, clock: realClock, tls: tls.client });
    await store.commit([put(map, configMap({ a: "1" }))]);
    await store.close();
  });
  afterAll(async () => {
    await servers.stop();
    await rm(directory, { recursive: true, force: true });
  });
  const run = (name: string, flags: Readonly<Record<string, string>>, ...args: string[]) =>
    runStore([
      ...[name, "--etcd-servers", servers.endpoints.join(",")],
      ...Object.entries(flags).flatMap(([flag, file]) => [`--etcd-${flag}`, file]),
      ...args,
    ]);
  const client = () => ({ certfile: tls.certFile, keyfile: tls.keyFile });

  test("works with the CA and a client certificate", async () => {
    const flags = { cafile: tls.caFile, ...client() };
    for (const [name, ...args] of [["ls"], ["get", map], ["verify"], ["compact"]] as const)
      expect(await run(name, flags, ...args)).toMatchObject({ code: 0, stderr: "" });
  });

  test.concurrent.each<[string, () => Readonly<Record<string, string>>, string]>([
    [
      "another authority",
      () => ({ cafile: other.caFile, ...client() }),
      "tls: failed to verify certificate: x509: certificate signed by unknown authority: give its CA certificate with --etcd-cafile",
    ],
    [
      "no authority",
      client,
      "tls: failed to verify certificate: x509: certificate signed by unknown authority: give its CA certificate with --etcd-cafile",
    ],
    [
      "no certificate",
      () => ({ cafile: tls.caFile }),
      "remote error: tls: bad certificate: it requires a client certificate of a CA that it trusts: give one with --etcd-certfile and --etcd-keyfile",
    ],
    [
      "a certificate of another authority",
      () => ({ cafile: tls.caFile, certfile: other.certFile, keyfile: other.keyFile }),
      "remote error: tls: bad certificate: it requires a client certificate of a CA that it trusts: give one with --etcd-certfile and --etcd-keyfile",
    ],
  ])("with %s the error says what is wrong", async (_, flags, problem) => {
    expect(await run("ls", flags())).toEqual({
      code: 1,
      stdout: "",
      stderr: `Error: cannot reach etcd at ${servers.endpoints}: ${problem}\n`,
    });
  });

  test.concurrent("the error says when etcd does not use TLS", async ({ onTestFinished }) => {
    const plain = await startEtcdServers();
    onTestFinished(() => plain.stop());
    const url = plain.endpoints.join(",").replace("http:", "https:");
    const args = ["ls", "--etcd-servers", url, "--etcd-cafile", tls.caFile];
    expect(await runStore(args)).toEqual({
      code: 1,
      stdout: "",
      stderr: `Error: cannot reach etcd at ${url}: EOF: if it does not use TLS, begin its URL in --etcd-servers with http://\n`,
    });
  });
});
