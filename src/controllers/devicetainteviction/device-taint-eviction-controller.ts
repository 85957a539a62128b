import { Pod } from "../../api/core/v1/pod/pod.ts";
import { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import { ResourceSlice } from "../../api/resource/v1/resource-slice.ts";
import type { DeviceTaintRule } from "../../api/resource/v1beta2/device-taint-rule.ts";
import { formatKeyOf, parseKey } from "../../client/resource-kind.ts";
import type { Runnable } from "../../controller-runtime/manager/manager-options.ts";
import { queueController } from "../../controller-runtime/reconcile/queue-controller.ts";
import { evictPod } from "../tainteviction/evict-pod.ts";
import { evictionMetrics } from "../tainteviction/eviction-metrics.ts";
import { type DeviceEviction, deviceEviction } from "./device-eviction-time.ts";
import { type RuleStatus, ruleStatus } from "./rule-status.ts";

const name = "device-taint-eviction-controller";
const byPool = "pool";

const reason = {
  reason: "DeletionByDeviceTaintManager",
  message: "Device Taint manager: deleting due to NoExecute taint",
};
const metricNames = {
  subsystem: "device_taint_eviction_controller",
  controller: "DeviceTaintEvictionController",
  cause: "a device taint effect has been activated and a Pod's",
};

export interface DeviceTaintEvictionOptions {
  readonly workers: number;
  /** The feature DRADeviceTaintRules: rules give devices taints, too. */
  readonly heedsRules: boolean;
}

/** Evicts pods whose claims do not tolerate the taints of their devices, or tolerate them only for a time. */
export const deviceTaintEvictionController = ({
  workers,
  heedsRules,
}: DeviceTaintEvictionOptions): Runnable =>
  queueController({
    name,
    setUp(ctx) {
      const pods = ctx.informer(Pod);
      const claims = ctx.informer(ResourceClaim, { indexers: { [byPool]: poolsOfClaim } });
      const slices = ctx.informer(ResourceSlice, { indexers: { [byPool]: poolOfSlice } });
      const events = ctx.events(name);
      const evicted = evictionMetrics(ctx.metrics, metricNames);
      /** The pods that will be evicted, and those that have been: which object it is. */
      const waiting = new Map<string, string | undefined>();
      const done = new Map<string, string | undefined>();

      const record = (pod: Pod, note: string): void => {
        const { name, namespace, uid } = pod.metadata;
        const object = { apiVersion: "v1", kind: "Pod", metadata: { name, namespace, uid } };
        events.record(object, { type: "Normal", reason: "DeviceTaintManagerEviction", note });
      };
      const evictionOf = (
        pod: Pod,
        rules: readonly DeviceTaintRule[],
      ): DeviceEviction | undefined =>
        deviceEviction(pod, {
          claim: (claim) => claims.get({ namespace: pod.metadata.namespace, name: claim }),
          slices: (driver, pool) => slices.byIndex(byPool, poolKey(driver, pool)),
          rules,
        });

      const queue = ctx.queue({
        name: "device_taint_eviction",
        workers,
        failure: "evicting a pod failed",
        logFields: (pod) => ({ pod }),
        async work(key) {
          const pod = pods.get(parseKey(key));
          const { uid, deletionTimestamp } = pod?.metadata ?? {};
          if (!pod || deletionTimestamp || done.get(key) === uid) {
            waiting.delete(key);
            return undefined;
          }
          const eviction = evictionOf(pod, rules.evicting());
          if (!eviction) {
            if (waiting.get(key) === uid) record(pod, "Cancelling deletion");
            waiting.delete(key);
            return undefined;
          }
          waiting.set(key, uid);
          rules.changed(eviction.rules);
          const afterMs = eviction.time - ctx.clock.now();
          if (afterMs > 0) return { afterMs };
          record(pod, "Marking for deletion");
          if (await evictPod(ctx, { ...parseKey(key), uid }, reason)) {
            evicted(-afterMs);
            rules.evicted(eviction.rules);
          }
          waiting.delete(key);
          done.set(key, uid);
          return undefined;
        },
      });

      const enqueue = (pod: Pod): void => {
        const usesClaims = pod.spec.nodeName && (pod.spec.resourceClaims?.length ?? 0) > 0;
        if (usesClaims) queue.add(formatKeyOf(pod));
      };
      const enqueueConsumers = ({ metadata: { namespace }, status }: ResourceClaim): void => {
        for (const { apiGroup = "", resource, name: pod, uid } of status?.reservedFor ?? []) {
          if (apiGroup !== "" || resource !== "pods") continue;
          const found = pods.get({ namespace, name: pod });
          if (found?.metadata.uid === uid) enqueue(found);
        }
      };
      const rules: RuleStatus = heedsRules
        ? ruleStatus(ctx, { fieldManager: name, workers: 1, evictionOf }, () =>
            claims.list().forEach(enqueueConsumers),
          )
        : noRules;
      const enqueuePool = (slice: ResourceSlice): void => {
        for (const pool of poolOfSlice(slice))
          for (const claim of claims.byIndex(byPool, pool)) enqueueConsumers(claim);
      };
      const both =
        <O>(call: (object: O) => void) =>
        (object: O, old: O): void => {
          call(object);
          call(old);
        };
      ctx.onSynced(() => {
        pods.addHandler({
          added: enqueue,
          updated: enqueue,
          deleted(pod) {
            const key = formatKeyOf(pod);
            waiting.delete(key);
            done.delete(key);
          },
        });
        claims.addHandler({
          added: enqueueConsumers,
          updated: both(enqueueConsumers),
          deleted: enqueueConsumers,
        });
        slices.addHandler({ added: enqueuePool, updated: both(enqueuePool), deleted: enqueuePool });
      });
    },
  });

const noRules: RuleStatus = { evicting: () => [], changed() {}, evicted() {} };

const poolKey = (driver: string, pool: string): string => `${driver}/${pool}`;

const poolsOfClaim = ({ status }: ResourceClaim): readonly string[] => [
  ...new Set(
    (status?.allocation?.devices.results ?? []).map(({ driver, pool }) => poolKey(driver, pool)),
  ),
];

const poolOfSlice = ({ spec }: ResourceSlice): readonly string[] => [
  poolKey(spec.driver, spec.pool.name),
];
