import { expect, test } from "vitest";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import {
  amountsOf,
  exceeding,
  formatAmounts,
  sameAmounts,
} from "../../api/core/v1/quota/amounts.ts";
import { calculateUsage } from "../../api/core/v1/quota/calculate-usage.ts";
import type { AnyEvaluator } from "../../api/core/v1/quota/evaluator.ts";
import { quotaEvaluators } from "../../api/core/v1/quota/evaluators.ts";
import { ResourceQuota } from "../../api/core/v1/quota/resource-quota.ts";
import { Service } from "../../api/core/v1/service/service.ts";
import { SeededRandom } from "../../base/random.ts";
import { misbehavingTransport } from "../../client/informer/misbehaving-transport.test-support.ts";
import type { KubernetesObject, ResourceKind } from "../../client/resource-kind.ts";
import { withChanges } from "../../client/with-changes.ts";
import { createManager } from "../../controller-runtime/manager/manager.ts";
import type { Cluster } from "../../testing/cluster.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import { resourceQuotaController } from "./resource-quota-controller.ts";

const namespace = "default";
const kinds: readonly ResourceKind<KubernetesObject>[] = [Pod, ConfigMap, Service];
const quotas = [
  {
    name: "all",
    spec: { hard: { pods: "6", "requests.cpu": "2", configmaps: "9", "count/pods": "12" } },
  },
  { name: "jobs", spec: { hard: { pods: "2" }, scopes: ["Terminating"] } },
  { name: "services", spec: { hard: { services: "5", "services.nodeports": "4" } } },
];

/** What there is of a world in which things come, change and go by chance. */
function world(cluster: Cluster, random: SeededRandom) {
  const { client, clock } = cluster;
  const below = (n: number): number => Math.floor(random.next() * n);
  const evaluatorOf = quotaEvaluators({
    now: () => clock.now(),
    deviceClasses: () => [],
    pod: () => undefined,
    claims: () => [],
  });
  const name = (): string => `o${below(40)}`;

  const createPod = () =>
    client.create(Pod, {
      metadata: { name: name(), namespace },
      spec: {
        containers: [
          { name: "c", image: "i", resources: { requests: { cpu: `${1 + below(9)}00m` } } },
        ],
        ...(below(3) === 0 && { activeDeadlineSeconds: 5 }),
        ...(below(2) === 0 && { nodeName: "n" }),
      },
    });
  const createConfigMap = () => client.create(ConfigMap, { metadata: { name: name(), namespace } });
  const service = () => ({ type: below(2) ? "NodePort" : "ClusterIP", ports: [{ port: 1 }] });
  const createService = () =>
    client.create(Service, { metadata: { name: name(), namespace }, spec: service() });
  /** One of those made here: what the server has made, it makes again without being charged. */
  const any = async <O extends KubernetesObject>(kind: ResourceKind<O>): Promise<O | undefined> => {
    const { items } = await client.list(kind, { namespace });
    const own = items.filter(({ metadata }) => metadata.name?.startsWith("o"));
    return own[below(own.length)];
  };
  const remove = async () => {
    const kind = kinds[below(kinds.length)] as ResourceKind<KubernetesObject>;
    const one = await any(kind);
    const gracePeriodSeconds = below(2) ? 0 : 10;
    if (one)
      await client.delete(
        kind,
        { namespace, name: one.metadata.name ?? "" },
        { gracePeriodSeconds },
      );
  };
  const end = async () => {
    const pod = await any(Pod);
    const ended =
      pod &&
      withChanges(pod, (draft) => {
        draft.status.phase = "Failed";
      });
    if (ended) await client.update(Pod, ended, { subresource: "status" });
  };
  const retype = async () => {
    const old = await any(Service);
    const changed =
      old &&
      withChanges(old, (draft) => {
        draft.spec.type = draft.spec.type === "NodePort" ? "ClusterIP" : "NodePort";
      });
    if (changed) await client.update(Service, changed);
  };
  const allowMore = async () => {
    const quota = await client.get(ResourceQuota, { namespace, name: "all" });
    const changed = withChanges(quota, (draft) => {
      draft.spec.hard = {
        ...draft.spec.hard,
        configmaps: `${1 + Number(draft.spec.hard?.configmaps)}`,
      };
    });
    await client.update(ResourceQuota, changed);
  };
  const deeds = [
    createPod,
    createPod,
    createPod,
    createConfigMap,
    createConfigMap,
    createService,
    remove,
    remove,
    end,
    retype,
    allowMore,
  ];

  return {
    /** Several things at once, of which some are refused. */
    async step(): Promise<void> {
      const deed = () => deeds[below(deeds.length)]?.();
      await Promise.allSettled(Array.from({ length: 1 + below(12) }, deed));
    },
    /** Each quota, and what is really used of it. */
    async usage() {
      const { items } = await client.list(ResourceQuota, { namespace });
      const counted = await Promise.all(
        kinds.map(async (kind) => ({
          evaluator: evaluatorOf(kind) as AnyEvaluator,
          objects: (await client.list(kind, { namespace })).items,
        })),
      );
      return items.map(({ metadata, spec, status }) => ({
        name: metadata.name,
        hard: amountsOf(spec.hard),
        used: amountsOf(status.used),
        real: calculateUsage(spec, counted),
      }));
    },
  };
}

test.each([1, 2, 3, 4, 5, 6])(
  "seed %i: a quota is never exceeded, its usage is never too low, and finally correct",
  async (seed) => {
    const random = new SeededRandom(seed);
    const cluster = await startCluster({ clock: "virtual", namespace, seed });
    const { clock, client } = cluster;
    const traits = {
      faultRate: 0.03,
      streams: "served",
      pageSize: 0,
      sendsBookmarks: seed % 2 === 0,
    } as const;
    const far = misbehavingTransport(cluster.transport, traits, { clock, random });
    const stop = new AbortController();
    const manager = createManager({ ...cluster, transport: far.transport });
    manager.add(resourceQuotaController({ concurrency: 5, resyncMs: 300_000 }));
    const running = manager.run({ signal: stop.signal });
    for (const { name, spec } of quotas)
      await client.create(ResourceQuota, { metadata: { name, namespace }, spec });
    await cluster.advance("30s");
    const { step, usage } = world(cluster, random);

    for (let n = 0; n < 60; n++) {
      await step();
      for (const { name, hard, used, real } of await usage()) {
        const at = `step ${n}, quota ${name}, used ${formatAmounts(used)}, really ${formatAmounts(real)}`;
        expect(exceeding(real, hard), at).toEqual(new Set());
        expect(exceeding(real, used), at).toEqual(new Set());
      }
      await cluster.advance(Math.floor(random.next() * 2000));
    }
    far.calmDown();
    await cluster.advance("20m");
    for (const { name, used, real } of await usage())
      expect(
        sameAmounts(used, real),
        `${name}: ${formatAmounts(used)}, really ${formatAmounts(real)}`,
      ).toBe(true);
    stop.abort();
    await cluster.advance("1s");
    await running;
    await cluster.close();
  },
);
