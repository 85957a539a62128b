import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  type EtcdServers,
  freePorts,
  hasEtcd,
  startEtcdServers,
  until,
} from "../../src/store/etcd/etcd-server.test-support.ts";
import { startWith, testDir } from "../support/apiserver.test-support.ts";
import { adminOf, type Body, type HttpsClient } from "../support/https-client.test-support.ts";
import { type ServerProcess, startProcess } from "../support/server-process.test-support.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const services = "/api/v1/namespaces/default/services";
const configMap = (name: string) => ({ metadata: { name }, data: { a: "1" } });
const namesIn = ({ body }: { readonly body: Body }): string[] =>
  body.items.map(({ metadata }) => metadata.name);

async function serveEtcd(members: number): Promise<EtcdServers> {
  const servers = await startEtcdServers({ members });
  onTestFinished(() => servers.stop());
  return servers;
}

/** An API server in this process, by its administrator. */
async function serve(etcd: EtcdServers, ...flags: string[]) {
  const server = await startWith(testDir(), `--etcd-servers=${etcd.endpoints}`, ...flags);
  const client = adminOf(server.dir, server.port);
  onTestFinished(() => client.close());
  return { ...server, client };
}

/** An API server in a process of its own. */
async function serveApart(
  etcd: EtcdServers,
  address: string,
): Promise<{ readonly process: ServerProcess; readonly client: HttpsClient }> {
  const dir = join(testDir(), "data");
  const flags = [`--etcd-servers=${etcd.endpoints}`, `--advertise-address=${address}`];
  const process = await startProcess(dir, { flags: [...flags, "--bind-address=127.0.0.1"] });
  const client = adminOf(dir, process.port);
  onTestFinished(async () => {
    client.close();
    await process.end("SIGKILL");
  });
  return { process, client };
}

async function addresses(client: HttpsClient): Promise<string[]> {
  const { body } = await client.call("GET", "/api/v1/namespaces/default/endpoints/kubernetes");
  const { subsets = [] } = body as Body & {
    readonly subsets?: readonly { readonly addresses: readonly { readonly ip: string }[] }[];
  };
  return subsets.flatMap((subset) => subset.addresses.map(({ ip }) => ip));
}

describe.skipIf(!hasEtcd)("several API servers on one etcd", () => {
  test("a write through one server is read through the other at once", async () => {
    const etcd = await serveEtcd(1);
    const [one, other] = [await serve(etcd), await serve(etcd)];
    const seen: unknown[] = [];
    const expected: unknown[] = [];
    for (let n = 0; n < 40; n++) {
      const [writer, reader] = n % 2 === 0 ? [one, other] : [other, one];
      const name = `c${n}`;
      const made = await writer.client.call("POST", configMaps, { body: configMap(name) });
      const got = await reader.client.call("GET", `${configMaps}/${name}`);
      const listed = namesIn(await reader.client.call("GET", configMaps));
      const removed = await reader.client.call("DELETE", `${configMaps}/${name}`);
      const gone = await writer.client.call("GET", `${configMaps}/${name}`);
      seen.push([made.status, got.status, listed.includes(name), removed.status, gone.status]);
      expected.push([201, 200, true, 200, 404]);
    }
    expect([seen, existsSync(join(one.dir, "store"))]).toEqual([expected, false]);
  });

  test("of two concurrent updates of one object one is a conflict, and no change is lost", async () => {
    const etcd = await serveEtcd(1);
    const clients = [(await serve(etcd)).client, (await serve(etcd)).client];
    await clients[0]?.call("POST", configMaps, { body: configMap("n") });
    let conflicts = 0;
    const count = async (client: HttpsClient): Promise<void> => {
      for (let done = 0; done < 20; ) {
        const { body } = await client.call("GET", `${configMaps}/n`);
        const changed = { ...body, data: { a: String(Number(body.data?.a) + 1) } };
        const { status } = await client.call("PUT", `${configMaps}/n`, { body: changed });
        if (status === 200) done++;
        else if (status === 409) conflicts++;
        else throw new Error(`status ${status}`);
      }
    };
    await Promise.all([...clients, ...clients].map(count));
    const { body } = await (clients[0] as HttpsClient).call("GET", `${configMaps}/n`);
    expect([body.data?.a, conflicts > 0]).toEqual(["81", true]);
  });

  test("no cluster IP and no node port is allocated twice", async () => {
    const etcd = await serveEtcd(1);
    const clients = [(await serve(etcd)).client, (await serve(etcd)).client];
    const create = async (n: number): Promise<number> => {
      const spec = { type: "NodePort", ports: [{ port: 80 }] };
      const client = clients[n % 2] as HttpsClient;
      const body = { metadata: { name: `s${n}` }, spec };
      return (await client.call("POST", services, { body })).status;
    };
    const made = await Promise.all(Array.from({ length: 120 }, (_, n) => create(n)));
    const { body } = await (clients[0] as HttpsClient).call("GET", services);
    const specs = body.items.map(
      (item) =>
        (item as unknown as { spec: { clusterIP: string; ports: { nodePort?: number }[] } }).spec,
    );
    const ports = specs.flatMap((spec) => spec.ports.flatMap(({ nodePort }) => nodePort ?? []));
    expect([
      made.filter((status) => status !== 201),
      new Set(specs.map(({ clusterIP }) => clusterIP)).size,
      new Set(ports).size,
    ]).toEqual([[], 121, 120]);
  }, 120_000);

  test("a watch through one server delivers writes through the other, each change once", async () => {
    const etcd = await serveEtcd(1);
    const [one, other] = [await serve(etcd), await serve(etcd)];
    const { body } = await one.client.call("GET", configMaps);
    const from = body.metadata.resourceVersion;
    const watch = await one.client.open("GET", `${configMaps}?watch=1&resourceVersion=${from}`);
    let text = "";
    watch.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
    for (let n = 0; n < 30; n++)
      await other.client.call("POST", configMaps, { body: configMap(`w${n}`) });
    await until(() => text.split("\n").length > 30);
    const names = text
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { object: Body }).object.metadata.name);
    watch.destroy();
    expect(names).toEqual(Array.from({ length: 30 }, (_, n) => `w${n}`));
  });

  test("when a server is killed its acknowledged writes remain, and the endpoints lose its address", async () => {
    const etcd = await serveEtcd(1);
    const [one, other] = [await serveApart(etcd, "10.1.0.1"), await serveApart(etcd, "10.1.0.2")];
    const both = await until(async () => {
      const found = await addresses(other.client);
      return found.length === 2 ? found : undefined;
    });
    const acknowledged: string[] = [];
    const writing = (async () => {
      for (let n = 0; ; n++) {
        const made = await one.client.call("POST", configMaps, { body: configMap(`k${n}`) });
        if (made.status === 201) acknowledged.push(`k${n}`);
      }
    })().catch(() => undefined);
    await until(() => acknowledged.length > 50);
    await one.process.end("SIGKILL");
    await writing;
    const there = new Set(namesIn(await other.client.call("GET", configMaps)));
    const left = await until(async () => {
      const found = await addresses(other.client);
      return found.length === 1 ? found : undefined;
    });
    expect([both, acknowledged.filter((name) => !there.has(name)), left]).toEqual([
      ["10.1.0.1", "10.1.0.2"],
      [],
      ["10.1.0.2"],
    ]);
  }, 120_000);

  test("a server without its etcd is not ready, and is ready again when etcd is back", async () => {
    const etcd = await serveEtcd(1);
    const { client } = await serve(etcd, "--etcd-healthcheck-timeout=300ms");
    await client.call("POST", configMaps, { body: configMap("before") });
    await etcd.members[0]?.kill();
    const ready = await client.call("GET", "/readyz");
    const why = await client.call("GET", "/healthz/etcd");
    const refused = await client.call("POST", configMaps, { body: configMap("lost") });
    await etcd.members[0]?.restart();
    await until(async () => (await client.call("GET", "/readyz")).status === 200);
    const made = await client.call("POST", configMaps, { body: configMap("after") });
    const listed = namesIn(await client.call("GET", configMaps)).filter((name) =>
      ["before", "after", "lost"].includes(name),
    );
    expect([ready.status, ready.text.includes("[-]etcd failed: reason withheld")]).toEqual([
      500,
      true,
    ]);
    expect(why.text).toMatch(/^internal server error: error getting data from etcd: /);
    expect([refused.status >= 500, made.status, listed]).toEqual([true, 201, ["after", "before"]]);
  }, 90_000);

  test("a server whose etcd does not answer fails to start, and names the reason", async () => {
    const [port] = await freePorts(1);
    await expect(startWith(testDir(), `--etcd-servers=http://127.0.0.1:${port}`)).rejects.toThrow(
      /^no etcd server answered within 20 seconds \(http:\/\/127\.0\.0\.1:\d+: .*ECONNREFUSED/,
    );
  }, 120_000);
});
