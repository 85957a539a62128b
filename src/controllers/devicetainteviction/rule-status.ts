import { Pod } from "../../api/core/v1/pod/pod.ts";
import { ruleSelects } from "../../api/resource/v1/matching-rule.ts";
import { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import { ResourceSlice } from "../../api/resource/v1/resource-slice.ts";
import { DeviceTaintRule } from "../../api/resource/v1beta2/device-taint-rule.ts";
import { findCondition } from "../../controller-runtime/objects/conditions.ts";
import type { QueueControllerContext } from "../../controller-runtime/reconcile/queue-controller.ts";
import { formatTime, timeFromMillis } from "../../schema/values/time.ts";
import { currentSlices, type DeviceEviction } from "./device-eviction-time.ts";
import { type RuleFacts, ruleCondition } from "./rule-condition.ts";

/** The shortest time between two changes of the status of a rule. */
const periodMs = 10_000;

export interface RuleStatusOptions {
  readonly fieldManager: string;
  readonly workers: number;
  /** When a pod must be evicted if these rules are in effect. */
  readonly evictionOf: (pod: Pod, rules: readonly DeviceTaintRule[]) => DeviceEviction | undefined;
}

/** The status of rules that taint devices. */
export interface RuleStatus {
  /** The rules whose taints evict pods. */
  evicting(): readonly DeviceTaintRule[];
  /** The pods that rules evict may have changed: their status is written some time later. */
  changed(rules: readonly DeviceTaintRule[]): void;
  /** A pod was evicted because of rules. */
  evicted(rules: readonly DeviceTaintRule[]): void;
}

/** Writes the status of rules that taint devices; `onChange` is called when pods may be concerned. */
export function ruleStatus(
  ctx: QueueControllerContext,
  { fieldManager, workers, evictionOf }: RuleStatusOptions,
  onChange: () => void,
): RuleStatus {
  const rules = ctx.informer(DeviceTaintRule);
  const pods = ctx.informer(Pod);
  const claims = ctx.informer(ResourceClaim);
  const slices = ctx.informer(ResourceSlice);
  const evictedPods = new Map<string, number>();

  const factsOf = (rule: DeviceTaintRule): RuleFacts => {
    const { effect } = rule.spec.taint;
    const asIf = { ...rule, spec: { ...rule.spec, taint: { ...rule.spec.taint, effect: evicts } } };
    const concerned =
      effect === evicts || effect === "None"
        ? pods
            .list()
            .filter((pod) => !pod.metadata.deletionTimestamp)
            .filter((pod) => (evictionOf(pod, [asIf])?.rules.length ?? 0) > 0)
        : [];
    return {
      effect,
      generation: rule.metadata.generation,
      pods: concerned.length,
      namespaces: new Set(concerned.map(({ metadata }) => metadata.namespace)).size,
      ...selectedDevices(rule, slices.list(), claims.list()),
      evicted: evictedPods.get(rule.metadata.uid ?? "") ?? 0,
    };
  };

  const queue = ctx.queue({
    name: "device_taint_rule_status",
    workers,
    failure: "writing the status of a device taint rule failed",
    logFields: (rule) => ({ rule }),
    async work(name) {
      const rule = rules.get({ name });
      if (!rule) return undefined;
      const { uid, generation } = rule.metadata;
      const now = ctx.clock.now();
      const before = findCondition(rule.status.conditions, "EvictionInProgress");
      const sinceMs = now - Date.parse(before?.lastTransitionTime ?? "");
      if (before?.observedGeneration === generation && sinceMs < periodMs)
        return { afterMs: periodMs - sinceMs };
      const condition = ruleCondition(factsOf(rule));
      if (before && said.every((field) => before[field] === condition[field])) return undefined;
      const lastTransitionTime = formatTime(timeFromMillis(now));
      await ctx.client.apply(
        DeviceTaintRule,
        {
          metadata: { name, uid },
          status: { conditions: [{ ...condition, lastTransitionTime }] },
        } as never,
        { subresource: "status", fieldManager, force: true, signal: ctx.signal },
      );
      return undefined;
    },
  });

  ctx.onSynced(() => {
    rules.addHandler({
      added({ metadata }) {
        queue.add(metadata.name ?? "");
        onChange();
      },
      updated(rule, old) {
        if (rule.metadata.uid === old.metadata.uid && rule.spec === old.spec) return;
        if (rule.metadata.uid !== old.metadata.uid) evictedPods.delete(old.metadata.uid ?? "");
        queue.add(rule.metadata.name ?? "");
        onChange();
      },
      deleted({ metadata }) {
        evictedPods.delete(metadata.uid ?? "");
        onChange();
      },
    });
  });
  const changed = (some: readonly DeviceTaintRule[]): void => {
    for (const { metadata } of some) queue.addAfter(metadata.name ?? "", periodMs);
  };
  return {
    evicting: () => rules.list().filter(({ spec }) => spec.taint.effect === evicts),
    changed,
    evicted(some) {
      for (const { metadata } of some) {
        const uid = metadata.uid ?? "";
        evictedPods.set(uid, (evictedPods.get(uid) ?? 0) + 1);
      }
      changed(some);
    },
  };
}

/** How many devices a rule selects, of those published and of those allocated. */
function selectedDevices(
  rule: DeviceTaintRule,
  slices: readonly ResourceSlice[],
  claims: readonly ResourceClaim[],
): { readonly published: number; readonly allocated: number } {
  const pools = new Map<string, ResourceSlice[]>();
  for (const slice of slices) {
    const key = `${slice.spec.driver}/${slice.spec.pool.name}`;
    pools.set(key, [...(pools.get(key) ?? []), slice]);
  }
  const published = [...pools.values()]
    .flatMap(currentSlices)
    .flatMap(({ spec: { driver, pool, devices = [] } }) =>
      devices.map((device) => ({ driver, pool: pool.name, device: device.name })),
    );
  const allocated = claims.flatMap(({ status }) => status?.allocation?.devices.results ?? []);
  const selected = (device: Parameters<typeof ruleSelects>[1]) => ruleSelects(rule, device);
  return {
    published: published.filter(selected).length,
    allocated: allocated.filter(selected).length,
  };
}

const evicts = "NoExecute";
const said = ["status", "reason", "message", "observedGeneration"] as const;
