import { expect, test } from "vitest";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import { sleep } from "../../base/clock.ts";
import { SeededRandom } from "../../base/random.ts";
import { type Transport, TransportError } from "../../client/transport.ts";
import { openTestApi, type TestApi } from "../../testing/api.test-support.ts";
import { createManager } from "../manager/manager.ts";
import { withController } from "../objects/owner-references.ts";
import { controller } from "../reconcile/controller.ts";

const parents = ["p0", "p1", "p2"];

test("with late watches and lost responses, no parent ever has more children than it wants", async () => {
  for (let seed = 1; seed <= 8; seed++) await scenario(seed);
});

async function scenario(seed: number): Promise<void> {
  const api = await openTestApi(seed);
  const random = new SeededRandom(seed);
  const weather = { lost: random.next() * 0.3, lagMs: random.next() * 3_000 };
  const manager = createManager({
    transport: badWeather(api, weather, random.fork()),
    clock: api.clock,
    random,
    controllers: [
      controller({
        name: "parents",
        for: ConfigMap,
        owns: [Secret],
        concurrency: 2,
        async reconcile(key, { cache, client }) {
          const parent = await cache.get(ConfigMap, key);
          if (!parent?.data?.wants) return;
          const children = await cache.controlledBy(Secret, parent);
          const child = { metadata: { generateName: `${key.name}-`, namespace: "default" } };
          for (let count = children.length; count < Number(parent.data.wants); count++)
            await client.create(Secret, withController(child, parent) as never);
        },
      }),
    ],
  });
  const stop = new AbortController();
  const ended = manager.run({ signal: stop.signal });
  const wants = new Map(parents.map((name) => [name, 0]));
  for (const name of parents)
    await api.client.create(ConfigMap, { metadata: { name }, data: { wants: "0" } });
  for (let step = 0; step < 40; step++) {
    const name = parents[Math.floor(random.next() * parents.length)] as string;
    const wanted = (wants.get(name) ?? 0) + Math.floor(random.next() * 2);
    wants.set(name, wanted);
    const merge = { data: { wants: `${wanted}`, step: `${step}` } };
    await api.client.patch(ConfigMap, { name }, { merge });
    await api.clock.advance(random.next() * 800);
    for (const [parent, count] of await childCounts(api))
      expect(count, `seed ${seed}, ${parent}`).toBeLessThanOrEqual(wants.get(parent) ?? 0);
  }
  Object.assign(weather, { lost: 0, lagMs: 0 });
  await api.clock.advance(120_000);
  expect(await childCounts(api), `seed ${seed}`).toEqual(wants);
  stop.abort();
  await api.finished(ended);
  await api.close();
}

/** How many children each parent has. */
async function childCounts({ client }: TestApi): Promise<Map<string, number>> {
  const counts = new Map(parents.map((name) => [name, 0]));
  for (const { metadata } of (await client.list(Secret, { namespace: "default" })).items) {
    const owner = metadata.ownerReferences?.[0]?.name ?? "";
    counts.set(owner, (counts.get(owner) ?? 0) + 1);
  }
  return counts;
}

/** Writes get lost on their way there or back, and watches tell late. */
function badWeather(
  { transport, clock }: TestApi,
  weather: { lost: number; lagMs: number },
  random: SeededRandom,
): Transport {
  return async (request) => {
    const isWrite = request.method !== "GET";
    if (isWrite && random.next() < weather.lost / 2) throw new TransportError("refused");
    const response = await transport(request);
    if (isWrite && random.next() < weather.lost) throw new TransportError("reset");
    if (!request.query.includes("watch=true")) return response;
    return {
      ...response,
      async *values() {
        for await (const batch of response.values()) {
          await sleep(clock, random.next() * weather.lagMs, request.signal);
          yield batch;
        }
      },
    };
  };
}
