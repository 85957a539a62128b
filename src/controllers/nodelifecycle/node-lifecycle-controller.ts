import { Lease } from "../../api/coordination/v1/lease.ts";
import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { formatKey, keyOf, parseKey } from "../../client/resource-kind.ts";
import type { Runnable } from "../../controller-runtime/manager/manager-options.ts";
import { queueController } from "../../controller-runtime/reconcile/queue-controller.ts";
import { podsByNode } from "../pods-by-node.ts";
import { markPodsNotReady } from "./mark-pods-not-ready.ts";
import type { NodeLifecycleSettings } from "./node-lifecycle-settings.ts";
import { NodeMonitor } from "./node-monitor.ts";
import { keepUp, needsUpkeep } from "./node-upkeep.ts";

/** Marks nodes that stopped reporting, keeps their taints and labels, and evicts pods from failed nodes. */
export const nodeLifecycleController = (settings: NodeLifecycleSettings): Runnable =>
  queueController({
    name: "node-lifecycle-controller",
    setUp(ctx) {
      const nodes = ctx.informer(Node);
      const leases = ctx.informer(Lease, { namespace: "kube-node-lease" });
      const pods = ctx.informer(Pod, { indexers: podsByNode });
      const events = ctx.events("node-controller");
      const monitor = new NodeMonitor({ ...ctx, nodes, leases, pods, events, settings });
      const nodeQueue = ctx.queue({
        name: "node_lifecycle_controller",
        workers: 8,
        failure: "changing the taints or labels of a node failed",
        logFields: (node) => ({ node }),
        async work(key) {
          const node = nodes.get(parseKey(key));
          if (node) await keepUp(ctx, node);
        },
      });
      const podQueue = ctx.queue({
        name: "node_lifecycle_controller_pods",
        workers: 4,
        failure: "marking a pod as not ready failed",
        logFields: (pod) => ({ pod }),
        async work(key) {
          const pod = pods.get(parseKey(key));
          const { nodeName: name = "" } = pod?.spec ?? {};
          if (pod && monitor.healths.isNotReady(name) && nodes.get({ name }))
            await markPodsNotReady({ ...ctx, events }, [pod]);
        },
      });
      const enqueueNode = (node: Node): void => {
        if (needsUpkeep(node)) nodeQueue.add(formatKey(keyOf(node)));
      };
      // A pod that is bound to a node which does not report is marked as not ready by nobody else.
      const enqueuePod = (pod: Pod): void => {
        const { nodeName } = pod.spec;
        if (nodeName && monitor.healths.isNotReady(nodeName)) podQueue.add(formatKey(keyOf(pod)));
      };
      ctx.onSynced(() => {
        nodes.addHandler({ added: enqueueNode, updated: enqueueNode });
        pods.addHandler({
          added: enqueuePod,
          updated: (pod, old) => {
            if (pod.spec.nodeName !== old.spec.nodeName) enqueuePod(pod);
          },
        });
      });
      ctx.every(settings.nodeMonitorPeriodMs, {
        work: () => monitor.pass(),
        failure: "monitoring the nodes failed",
        startsAtOnce: true,
      });
      ctx.onStop(() => monitor.close());
    },
  });
