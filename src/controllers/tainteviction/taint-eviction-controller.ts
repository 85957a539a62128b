import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import type { Taint } from "../../api/core/v1/scheduling/taint.ts";
import { onAbort } from "../../base/on-abort.ts";
import { keyFromText, keyOf, keyText } from "../../client/resource-kind.ts";
import type { Runnable } from "../../controller-runtime/manager/manager-options.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import { controllerQueue } from "../controller-queue.ts";
import { byNode, podsByNode } from "../pods-by-node.ts";
import { workOff } from "../work-off.ts";
import { evictPod } from "./evict-pod.ts";
import { evictionMetrics } from "./eviction-metrics.ts";
import { TimedEvictions } from "./timed-evictions.ts";
import { evictingTaints, toleratedTime } from "./tolerated-time.ts";

/**
 * Has pods leave nodes whose taints they do not tolerate, or not any longer. What is decided is decided
 * from what the caches show: after a restart, the time of tolerations begins anew.
 */
export const taintEvictionController: Runnable = {
  name: "taint-eviction-controller",
  account: "node-controller",
  async run(signal, ctx) {
    const nodes = ctx.informers.of(Node);
    const pods = ctx.informers.of(Pod, { indexers: podsByNode });
    const events = ctx.events("taint-eviction-controller");
    const queue = controllerQueue(ctx, "noexec_taint_pod");
    /** Which pods they are that have to leave now, and since when. */
    const due = new Map<string, { readonly uid: string | undefined; readonly since: number }>();
    const evictions = new TimedEvictions(ctx.clock, (pod) => {
      tell(pod, "Marking for deletion");
      due.set(pod, { uid: pods.get(keyFromText(pod))?.metadata.uid, since: ctx.ticks() });
      queue.add(pod);
    });
    const tell = (pod: string, what: string): void => {
      const object = { apiVersion: "v1", kind: "Pod", metadata: keyFromText(pod) };
      const note = `${what} Pod ${pod}`;
      events.record(object, { type: "Normal", reason: "TaintManagerEviction", note });
    };
    const cancel = (pod: string): void => {
      if (evictions.cancel(pod)) tell(pod, "Cancelling deletion of");
    };
    const taintsOf = (name = ""): readonly Taint[] =>
      evictingTaints(nodes.get({ name })?.spec.taints);
    const decide = (pod: Pod, taints: readonly Taint[]): void => {
      const key = keyText(keyOf(pod));
      const time = toleratedTime(taints, pod.spec.tolerations);
      if (typeof time === "number") evictions.later(key, time);
      else cancel(key);
      if (time === "not") evictions.now(key);
    };
    const podChanged = (pod: Pod): void => {
      const taints = taintsOf(pod.spec.nodeName);
      if (taints.length > 0) decide(pod, taints);
    };
    const podGone = (pod: Pod): void => cancel(keyText(keyOf(pod)));
    const nodeChanged = ({ metadata: { name = "" } }: Node): void => {
      const taints = taintsOf(name);
      if (taints.length === 0 && evictions.size === 0) return;
      for (const pod of pods.byIndex(byNode, name)) decide(pod, taints);
    };
    const end = (): void => {
      evictions.close();
      queue.shutDown();
      nodes.close();
      pods.close();
    };
    try {
      await Promise.all([nodes.synced({ signal }), pods.synced({ signal })]);
      onAbort(signal, end);
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
          if (pod.metadata.uid !== old.metadata.uid) podGone(old);
          else if (
            pod.spec.nodeName === old.spec.nodeName &&
            sameJson(pod.spec.tolerations, old.spec.tolerations)
          )
            return;
          podChanged(pod);
        },
        deleted: podGone,
      });
      const evicted = evictionMetrics(ctx.metrics);
      await workOff(queue, {
        workers: 20,
        async work(pod) {
          const { uid, since = ctx.ticks() } = due.get(pod) ?? {};
          const { nodeName } = pods.get(keyFromText(pod))?.spec ?? {};
          const isWanted = queue.requeues(pod) === 0 || taintsOf(nodeName).length > 0;
          const which = { ...keyFromText(pod), uid };
          if (isWanted && (await evictPod({ ...ctx, signal }, which))) evicted(ctx.ticks() - since);
          due.delete(pod);
          evictions.done(pod);
          return "done";
        },
        onFault: (pod, error) => ctx.log.error("a pod could not be evicted", error, { pod }),
      });
    } finally {
      end();
    }
  },
};
