import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import type { Taint } from "../../api/core/v1/scheduling/taint.ts";
import { formatKey, keyOf, parseKey } from "../../client/resource-kind.ts";
import { queueController } from "../../controller-runtime/reconcile/queue-controller.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import { byNode, podsByNode } from "../pods-by-node.ts";
import { evictPod } from "./evict-pod.ts";
import { evictionMetrics } from "./eviction-metrics.ts";
import { TimedEvictions } from "./timed-evictions.ts";
import { evictingTaints, toleratedTime } from "./tolerated-time.ts";

/**
 * Evicts pods from nodes whose taints they do not tolerate, or tolerate only for a time. Decisions are
 * made from the caches alone: after a restart, the time of tolerations begins anew.
 */
export const taintEvictionController = queueController({
  name: "taint-eviction-controller",
  setUp(ctx) {
    const nodes = ctx.informer(Node);
    const pods = ctx.informer(Pod, { indexers: podsByNode });
    const events = ctx.events("taint-eviction-controller");
    const evicted = evictionMetrics(ctx.metrics);
    /** The pods to evict now: which object it is, and since when it is due. */
    const due = new Map<string, { readonly uid: string | undefined; readonly since: number }>();
    const queue = ctx.queue({
      name: "noexec_taint_pod",
      workers: 20,
      failure: "evicting a pod failed",
      logFields: (pod) => ({ pod }),
      async work(pod) {
        const { uid, since = ctx.ticks() } = due.get(pod) ?? {};
        const { nodeName } = pods.get(parseKey(pod))?.spec ?? {};
        const isWanted = queue.requeues(pod) === 0 || taintsOf(nodeName).length > 0;
        if (isWanted && (await evictPod(ctx, { ...parseKey(pod), uid })))
          evicted(ctx.ticks() - since);
        due.delete(pod);
        evictions.done(pod);
      },
    });
    const evictions = new TimedEvictions(ctx.clock, (pod) => {
      recordEvent(pod, "Marking for deletion");
      due.set(pod, { uid: pods.get(parseKey(pod))?.metadata.uid, since: ctx.ticks() });
      queue.add(pod);
    });
    const recordEvent = (pod: string, action: string): void => {
      const object = { apiVersion: "v1", kind: "Pod", metadata: parseKey(pod) };
      const note = `${action} Pod ${pod}`;
      events.record(object, { type: "Normal", reason: "TaintManagerEviction", note });
    };
    const cancel = (pod: string): void => {
      if (evictions.cancel(pod)) recordEvent(pod, "Cancelling deletion of");
    };
    const taintsOf = (name = ""): readonly Taint[] =>
      evictingTaints(nodes.get({ name })?.spec.taints);
    const decide = (pod: Pod, taints: readonly Taint[]): void => {
      const key = formatKey(keyOf(pod));
      const time = toleratedTime(taints, pod.spec.tolerations);
      if (typeof time === "number") evictions.later(key, time);
      else cancel(key);
      if (time === "not") evictions.now(key);
    };
    const podChanged = (pod: Pod): void => {
      const taints = taintsOf(pod.spec.nodeName);
      if (taints.length > 0) decide(pod, taints);
    };
    const podDeleted = (pod: Pod): void => cancel(formatKey(keyOf(pod)));
    const nodeChanged = ({ metadata: { name = "" } }: Node): void => {
      const taints = taintsOf(name);
      if (taints.length === 0 && evictions.size === 0) return;
      for (const pod of pods.byIndex(byNode, name)) decide(pod, taints);
    };
    ctx.onStop(() => evictions.close());
    ctx.onSynced(() => {
      nodes.addHandler({
        added: nodeChanged,
        updated(node, old) {
          const [now, before] = [node, old].map(({ spec }) => evictingTaints(spec.taints));
          if (!sameJson(now, before)) nodeChanged(node);
        },
      });
      pods.addHandler({
        added: podChanged,
        updated(pod, old) {
          if (pod.metadata.uid !== old.metadata.uid) podDeleted(old);
          else if (
            pod.spec.nodeName === old.spec.nodeName &&
            sameJson(pod.spec.tolerations, old.spec.tolerations)
          )
            return;
          podChanged(pod);
        },
        deleted: podDeleted,
      });
    });
  },
});
