import { deepStrictEqual } from "node:assert/strict";
import { ConfigMap } from "../../src/api/core/v1/config-map.ts";
import { Pod } from "../../src/api/core/v1/pod/pod.ts";
import { ServiceAccount } from "../../src/api/core/v1/service-account.ts";
import type { Client } from "../../src/client/client.ts";
import { typicalPod } from "../typical-pod.ts";

/**
 * How many calls of each sort a client makes in a second of processor time, and how many events a watch
 * delivers: what else runs on the machine does not count.
 */
export async function callsPerSecond(client: Client): Promise<Record<string, number>> {
  const count = 2000;
  const { metadata, spec } = typicalPod;
  const pod = (i: number) => ({
    metadata: { ...metadata, name: `pod-${i}`, namespace: "default" },
    spec,
  });
  const seen: Record<string, number> = {};
  const timed = async (name: string, times: number, run: (i: number) => Promise<unknown>) => {
    const begun = process.cpuUsage();
    for (let i = 0; i < times; i++) await run(i);
    const { user, system } = process.cpuUsage(begun);
    seen[name] = Math.round((times * 1e6) / (user + system));
  };
  await client.create(ServiceAccount, { metadata: { name: spec.serviceAccountName } });
  await timed("create", count, (i) => client.create(Pod, pod(i) as never));
  await timed("get", count, (i) => client.get(Pod, { namespace: "default", name: `pod-${i}` }));
  await timed("list of 2,000", 50, async () => {
    const { items } = await client.list(Pod, { namespace: "default" });
    deepStrictEqual(items.length, count);
  });
  const { metadata: at } = await client.list(ConfigMap);
  for (let i = 0; i < count; i++)
    await client.create(ConfigMap, { metadata: { name: `map-${i}` }, data: { a: `${i}` } });
  await timed("watch, events", 1, async () => {
    let events = 0;
    for await (const batch of client.watch(ConfigMap, at).batches()) {
      events += batch.length;
      if (events >= count) break;
    }
    deepStrictEqual(events, count);
  });
  seen["watch, events"] = (seen["watch, events"] ?? 0) * count;
  return seen;
}
