import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import type { Runnable } from "../../controller-runtime/manager/manager-options.ts";
import { queueController } from "../../controller-runtime/reconcile/queue-controller.ts";
import { podsByNode } from "../pods-by-node.ts";
import { endingPods, PodCollector } from "./pod-collector.ts";

export interface PodGcOptions {
  /** How many terminated pods are kept; no bound if 0 or less. */
  readonly terminatedPodThreshold: number;
}

/**
 * Deletes pods that nobody else will delete: every twenty seconds since it started, and only after a
 * change that may have left such pods.
 */
export const podGcController = ({ terminatedPodThreshold }: PodGcOptions): Runnable =>
  queueController({
    name: "pod-garbage-collector-controller",
    setUp(ctx) {
      const nodes = ctx.informer(Node);
      const pods = ctx.informer(Pod, { indexers: { ...podsByNode, ...endingPods } });
      const collector = new PodCollector({ ...ctx, nodes, pods, terminatedPodThreshold });
      /** Holds one item only: the pass over all pods. */
      const queue = ctx.queue({
        name: "orphaned_pods_nodes",
        workers: 1,
        failure: "collecting pods failed",
        async work() {
          if (await collector.pass()) enqueueNextPass();
        },
      });
      let start = 0;
      const enqueueNextPass = (): void =>
        queue.addAfter("pods", periodMs - ((ctx.ticks() - start) % periodMs));
      const podChanged = (pod: Pod): void => {
        if (collector.noticePod(pod)) enqueueNextPass();
      };
      const nodeChanged = (node: Node): void => {
        if (collector.noticeNode(node)) enqueueNextPass();
      };
      ctx.onSynced(() => {
        start = ctx.ticks();
        for (const pod of pods.list()) collector.noticePod(pod);
        queue.add("pods");
        pods.addHandler({ added: podChanged, updated: podChanged });
        nodes.addHandler({ added: nodeChanged, updated: nodeChanged, deleted: nodeChanged });
      });
    },
  });

const periodMs = 20_000;
