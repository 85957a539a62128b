import { Pod } from "../../api/core/v1/pod/pod.ts";
import { PodGroup } from "../../api/scheduling/v1alpha2/pod-group.ts";
import { formatKey, keyOf, parseKey } from "../../client/resource-kind.ts";
import { withoutFinalizer } from "../../controller-runtime/objects/finalizers.ts";
import { queueController } from "../../controller-runtime/reconcile/queue-controller.ts";
import { protectionStep } from "../protection.ts";
import { groupInUse, groupOfPod, hasEnded } from "./pods-by-group.ts";

const finalizer = "scheduling.k8s.io/podgroup-protection";
const byGroup = "activePodSchedulingGroup";

/** Removes the finalizer of groups of pods that are being deleted once no pod of theirs is left that has not ended. */
export const podGroupProtectionController = queueController({
  name: "podgroup-protection-controller",
  setUp(ctx) {
    const { client, signal } = ctx;
    const groups = ctx.informer(PodGroup);
    const pods = ctx.informer(Pod, { indexers: { [byGroup]: groupInUse } });
    const queue = ctx.queue({
      name: "podgroupprotection",
      workers: 1,
      failure: "removing the finalizer of a pod group failed",
      logFields: (group) => ({ group }),
      async work(key) {
        const group = groups.get(parseKey(key));
        if (!group || !isGoing(group) || pods.byIndex(byGroup, key).length > 0) return;
        await client.update(PodGroup, withoutFinalizer(group, finalizer), { signal });
      },
    });
    const enqueue = (group: PodGroup): void => {
      if (isGoing(group)) queue.add(formatKey(keyOf(group)));
    };
    const released = (pod: Pod): void => {
      const group = groupOfPod(pod);
      if (group !== undefined) queue.add(group);
    };
    ctx.onSynced(() => {
      groups.addHandler({ added: enqueue, updated: enqueue });
      pods.addHandler({
        added: (pod) => void (hasEnded(pod) && released(pod)),
        updated(pod, old) {
          if (hasEnded(pod)) released(pod);
          // Another pod of the same name was deleted meanwhile.
          if (pod.metadata.uid !== old.metadata.uid) released(old);
        },
        deleted: released,
      });
    });
  },
});

/** Admission adds the finalizer: here it is only removed. */
const isGoing = (group: PodGroup): boolean =>
  protectionStep(group, finalizer) === "remove if unused";
