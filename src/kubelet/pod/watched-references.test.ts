import { expect, onTestFinished, test } from "vitest";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import { noLog } from "../../base/log.ts";
import type { Client } from "../../client/client.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import { watchReferences } from "./watched-references.ts";

/** Watches as a node, and counts its requests. */
async function world() {
  const cluster = await startCluster({ namespace: "default" });
  const { clock, random } = cluster;
  const requests: string[] = [];
  const node = cluster.as({ user: "system:node:node-1", groups: ["system:nodes"] });
  const counted = <K extends "get" | "list" | "watch">(verb: K) =>
    ((kind: { plural: string }, ...rest: unknown[]) => {
      requests.push(`${verb} ${kind.plural}`);
      return (node[verb] as (...args: unknown[]) => unknown)(kind, ...rest);
    }) as unknown as Client[K];
  const client: Client = {
    ...node,
    ...{ get: counted("get"), list: counted("list"), watch: counted("watch") },
  };
  const changed: string[] = [];
  const references = watchReferences({
    ...{ client, clock, random, log: noLog },
    changed: (podUid) => void changed.push(podUid),
  });
  onTestFinished(async () => {
    references.close();
    await cluster.close();
  });
  const pod = (name: string, volumes: readonly object[], nodeName = "node-1"): Promise<Pod> =>
    cluster.client.create(Pod, {
      metadata: { name },
      spec: { nodeName, containers: [{ name: "c", image: "i" }], volumes },
    } as never);
  return { client: cluster.client, references, requests, changed, pod };
}

const m = { namespace: "default", name: "m" };
const volume = { name: "m", configMap: { name: "m" } };

test("watched references: pods share a watch, which ends with the last of them", async () => {
  const { client, references, requests, changed, pod } = await world();
  await client.create(ConfigMap, { metadata: { name: "m" }, data: { a: "1" } });
  const [a, b] = [await pod("a", [volume]), await pod("b", [volume])];
  for (const one of [a, b, a]) references.retain(one);
  expect(await references.configMap(m)).toEqual({ a: "1" });
  const begun = requests.length;
  await client.update(ConfigMap, { metadata: { name: "m" }, data: { a: "2" } });
  await expect.poll(() => changed.toSorted()).toEqual([a, b].map((x) => x.metadata.uid).toSorted());
  expect(await references.configMap(m)).toEqual({ a: "2" });
  references.release(a.metadata.uid ?? "");
  await client.delete(ConfigMap, { name: "m" });
  await expect.poll(() => changed.slice(2)).toEqual([b.metadata.uid]);
  expect(await references.configMap(m)).toBeUndefined();
  expect(requests.length).toBe(begun);
  references.release(b.metadata.uid ?? "");
  expect(await references.configMap(m)).toBeUndefined();
  expect(requests.at(-1)).toBe("get configmaps");
});

test("watched references: an object that is created later is reported", async () => {
  const { client, references, changed, pod } = await world();
  const one = await pod("a", [{ name: "s", secret: { secretName: "s" } }]);
  references.retain(one);
  expect(await references.secret({ ...m, name: "s" })).toBeUndefined();
  await client.create(Secret, { metadata: { name: "s" }, stringData: { x: "é" } });
  await expect.poll(() => changed).toEqual([one.metadata.uid]);
  expect(await references.secret({ ...m, name: "s" })).toEqual({ x: "é" });
  expect(await references.secretBytes({ ...m, name: "s" })).toEqual({
    x: new TextEncoder().encode("é"),
  });
});

test("watched references: an immutable object needs no watch", async () => {
  const { client, references, requests, pod } = await world();
  await client.create(ConfigMap, { metadata: { name: "m" }, data: { a: "1" }, immutable: true });
  const one = await pod("a", [volume]);
  references.retain(one);
  expect(await references.configMap(m)).toEqual({ a: "1" });
  await client.delete(ConfigMap, { name: "m" });
  const before = requests.length;
  references.retain(one);
  expect(await references.configMap(m)).toEqual({ a: "1" });
  expect(requests.length).toBe(before);
});

test("watched references: text has no binary data, and bytes are as they were", async () => {
  const { client, references, pod } = await world();
  const bytes = Buffer.from([0xff, 0x00]);
  const binaryData = { x: bytes.toString("base64") };
  await client.create(ConfigMap, { metadata: { name: "m" }, data: { a: "1" }, binaryData });
  references.retain(await pod("a", [volume]));
  expect(await references.configMap(m)).toEqual({ a: "1" });
  const found = await references.configMapBytes(m);
  expect([Buffer.from(found?.a ?? []), Buffer.from(found?.x ?? [])]).toEqual([
    Buffer.from("1"),
    bytes,
  ]);
});

test("watched references: what a node may not watch is an error of the request", async () => {
  const { references, pod } = await world();
  references.retain(await pod("a", [volume], "node-2"));
  await expect(references.configMap(m)).rejects.toThrow(
    'configmaps "m" is forbidden: User "system:node:node-1" cannot get resource "configmaps"',
  );
});
