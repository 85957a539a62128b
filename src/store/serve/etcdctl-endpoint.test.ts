import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createGrpcClient, type GrpcClient } from "../../platform/grpc/grpc-client.ts";
import { etcdMethods } from "../etcd/etcd-methods.ts";
import { type EtcdTls, etcdTls } from "../etcd/etcd-server.test-support.ts";
import { type Endpoint, readable, startEtcd, startOurs } from "./both.test-support.ts";
import { etcdctl, hasEtcdctl, type Printed } from "./etcdctl.test-support.ts";
import { healthMethods } from "./health-handlers.ts";
import { plainMethod } from "./plain-method.ts";

describe.skipIf(!hasEtcdctl).each(["http", "https"])(
  "etcdctl with %s:// in its endpoint",
  (scheme) => {
    let directory = "";
    let tls: EtcdTls | undefined;
    let ends: Endpoint[] = [];
    let clients: GrpcClient[] = [];
    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), "wherry-endpoint-"));
      tls = scheme === "https" ? await etcdTls(directory) : undefined;
      ends = await Promise.all([startEtcd(tls), startOurs(tls)]);
      clients = ends.map(({ address }) => createGrpcClient({ address, tls: tls?.client }));
    });
    afterAll(async () => {
      for (const client of clients) client.close();
      await Promise.all(ends.map((end) => end.stop()));
      await rm(directory, { recursive: true, force: true });
    });

    const run = (address: string, line: string): Promise<Printed> => {
      const certificates = tls && [
        "--cacert",
        tls.caFile,
        "--cert",
        tls.certFile,
        "--key",
        tls.keyFile,
      ];
      return etcdctl(`${scheme}://${address}`, [...(certificates ?? []), ...line.split(" ")]);
    };
    /** The output of two servers, without expected differences. */
    const comparable = ({ code, stdout, error }: Printed, address: string): Printed => {
      const same = (text: string): string =>
        text
          .replaceAll(address, "ADDRESS")
          .replaceAll(/"(cluster_id|member_id|leader|ID|hash)":\d+/g, '"$1":N')
          .replaceAll(/"(raftIndex|raftAppliedIndex|raftTerm|raft_term|dbSize\w*)":\d+/g, '"$1":N')
          .replaceAll(/"(version|name)":"[^"]+"/g, '"$1":"X"')
          .replaceAll(/"peerURLs":\[[^\]]*\],/g, "")
          .replaceAll(/took = \S+/g, "took = TIME");
      return { code, stdout: same(stdout), error: same(error) };
    };

    test("its output equals that of etcd", async () => {
      for (const line of [
        "endpoint health",
        "endpoint status -w json",
        "endpoint hashkv -w json",
        "put a 1",
        "put a 2",
        "compaction 2",
        "endpoint hashkv -w json",
        "endpoint hashkv --rev 3 -w json",
        "endpoint hashkv --rev 1",
        "endpoint hashkv --rev 9",
        "defrag",
        "alarm list",
        "alarm disarm",
        "member list -w json",
        "user list",
        "role list",
        "auth disable",
        "--user a:b get a",
        "lock l echo held",
      ]) {
        const [wanted, got] = await Promise.all(
          ends.map(async ({ address }) => comparable(await run(address, line), address)),
        );
        expect(got, line).toEqual(wanted);
      }
    });

    test("unsupported requests are rejected with the reason", async () => {
      const { address } = ends[1] as Endpoint;
      for (const [line, reason] of [
        ["auth enable", "no users and roles: who may call it is decided by certificates"],
        ["user add x:y", "no users and roles: who may call it is decided by certificates"],
        ["role add x", "no users and roles: who may call it is decided by certificates"],
        [
          "member add m --peer-urls http://127.0.0.1:1",
          "no other members: for more than one machine",
        ],
        ["member remove 1", "no other members: for more than one machine"],
        ["move-leader 1", "no other members: there is no leader to move"],
      ] as const) {
        const { code, error } = await run(address, line);
        expect([line, code !== 0, error]).toEqual([
          line,
          true,
          expect.stringContaining(`Unimplemented desc = etcdserver: this server has ${reason}`),
        ]);
      }
      const [, ours] = clients;
      for (const path of ["v3lockpb.Lock/Lock", "v3electionpb.Election/Campaign"])
        await expect(ours?.unary(plainMethod(path), {})).rejects.toThrow(
          / of its own: clients make/,
        );
    });

    test("the health service responds as etcd's does", async () => {
      const checks = await Promise.all(
        clients.map((client) =>
          Promise.all(
            ["", "etcdserverpb.KV"].map((service) =>
              client
                .unary(healthMethods.check, { service })
                .then(readable, ({ code, message }) => ({ code, message })),
            ),
          ),
        ),
      );
      expect(checks[1]).toEqual(checks[0]);
      expect(checks[1]?.[0]).toEqual({ status: 1 });
      const watched = await Promise.all(
        clients.flatMap((client) => ["", "other"].map((service) => firstHealth(client, service))),
      );
      expect(watched.slice(2)).toEqual(watched.slice(0, 2));
    });

    test("a hash is equal for equal keys, and differs for others", async () => {
      const [, ours] = clients;
      const hashes = async () => [
        (await ours?.unary(etcdMethods.hash, {}))?.hash,
        (await ours?.unary(etcdMethods.hashKV, {}))?.hash,
      ];
      const before = await hashes();
      expect(await hashes()).toEqual(before);
      await ours?.unary(etcdMethods.put, { key: Buffer.from("other") });
      const after = await hashes();
      expect(after[0]).not.toBe(before[0]);
      expect(after[1]).not.toBe(before[1]);
    });
  },
);

/** The first response to a watch of a service's health. */
const firstHealth = (client: GrpcClient, service: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const stream = client.stream(healthMethods.watch, {
      message({ status }) {
        resolve(status);
        stream.cancel();
      },
      end: (error) => reject(error ?? new Error("it ended")),
    });
    stream.send({ service });
    stream.finish();
  });
