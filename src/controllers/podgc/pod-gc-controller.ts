import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { onAbort } from "../../base/on-abort.ts";
import type { Runnable } from "../../controller-runtime/manager/manager-options.ts";
import { controllerQueue } from "../controller-queue.ts";
import type { ControllerSettings } from "../controller-settings.ts";
import { podsByNode } from "../pods-by-node.ts";
import { workOff } from "../work-off.ts";
import { endingPods, PodCollector } from "./pod-collector.ts";

/**
 * Collects pods that nobody else will have go, every twenty seconds since it started, if anything
 * happened that may concern it: it does not look where nothing did.
 */
export const podGcController = ({
  terminatedPodThreshold,
}: Pick<ControllerSettings, "terminatedPodThreshold">): Runnable => ({
  name: "pod-garbage-collector-controller",
  account: "pod-garbage-collector",
  async run(signal, ctx) {
    const nodes = ctx.informers.of(Node);
    const pods = ctx.informers.of(Pod, { indexers: { ...podsByNode, ...endingPods } });
    const collector = new PodCollector({ ...ctx, nodes, pods, terminatedPodThreshold, signal });
    /** Holds the one thing that there is to do. */
    const queue = controllerQueue(ctx, "orphaned_pods_nodes");
    const end = (): void => {
      queue.shutDown();
      nodes.close();
      pods.close();
    };
    try {
      await Promise.all([nodes.synced({ signal }), pods.synced({ signal })]);
      onAbort(signal, end);
      const start = ctx.ticks();
      const collectAtNextTurn = (): void =>
        queue.addAfter("pods", periodMs - ((ctx.ticks() - start) % periodMs));
      const podChanged = (pod: Pod): void => {
        if (collector.noticePod(pod)) collectAtNextTurn();
      };
      const nodeChanged = (node: Node): void => {
        if (collector.noticeNode(node)) collectAtNextTurn();
      };
      for (const pod of pods.list()) collector.noticePod(pod);
      queue.add("pods");
      pods.addHandler({ added: podChanged, updated: podChanged });
      nodes.addHandler({ added: nodeChanged, updated: nodeChanged, deleted: nodeChanged });
      await workOff(queue, {
        workers: 1,
        async work() {
          if (await collector.pass()) collectAtNextTurn();
          return "done";
        },
        onFault: (_, error) => ctx.log.error("pods could not be collected", error),
      });
    } finally {
      end();
    }
  },
});

const periodMs = 20_000;
