import { Lease } from "../../api/coordination/v1/lease.ts";
import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { sleep } from "../../base/clock.ts";
import { onAbort } from "../../base/on-abort.ts";
import { keyFromText, keyOf, keyText } from "../../client/resource-kind.ts";
import type {
  Runnable,
  RunnableContext,
} from "../../controller-runtime/manager/manager-options.ts";
import { controllerQueue } from "../controller-queue.ts";
import type { ControllerSettings } from "../controller-settings.ts";
import { podsByNode } from "../pods-by-node.ts";
import { workOff } from "../work-off.ts";
import { markPodsNotReady } from "./mark-pods-not-ready.ts";
import { NodeMonitor } from "./node-monitor.ts";
import { keepUp, needsUpkeep } from "./node-upkeep.ts";

/** Watches over nodes: what of them is known, who may run there, and which of them are given up. */
export const nodeLifecycleController = (settings: ControllerSettings): Runnable => ({
  name: "node-lifecycle-controller",
  account: "node-controller",
  async run(signal, ctx) {
    const nodes = ctx.informers.of(Node);
    const leases = ctx.informers.of(Lease, { namespace: "kube-node-lease" });
    const pods = ctx.informers.of(Pod, { indexers: podsByNode });
    const events = ctx.events("node-controller");
    const monitor = new NodeMonitor({ ...ctx, nodes, leases, pods, events, settings, signal });
    const nodeQueue = controllerQueue(ctx, "node_lifecycle_controller");
    const podQueue = controllerQueue(ctx, "node_lifecycle_controller_pods");
    const end = (): void => {
      monitor.close();
      for (const one of [nodeQueue, podQueue]) one.shutDown();
      for (const one of [nodes, leases, pods]) one.close();
    };
    try {
      await Promise.all([nodes, leases, pods].map((one) => one.synced({ signal })));
      const look = (node: Node): void => {
        if (needsUpkeep(node)) nodeQueue.add(keyText(keyOf(node)));
      };
      nodes.addHandler({ added: look, updated: look });
      // Of a pod that comes to a node that is silent nobody else says that it is not ready.
      const bound = (pod: Pod): void => {
        const { nodeName } = pod.spec;
        if (nodeName && monitor.healths.isNotReady(nodeName)) podQueue.add(keyText(keyOf(pod)));
      };
      pods.addHandler({
        added: bound,
        updated: (pod, old) => {
          if (pod.spec.nodeName !== old.spec.nodeName) bound(pod);
        },
      });
      onAbort(signal, end);
      await Promise.all([
        monitoring(monitor, { ...ctx, signal }, settings.nodeMonitorPeriodMs),
        workOff(nodeQueue, {
          workers: 8,
          async work(key) {
            const node = nodes.get(keyFromText(key));
            if (node) await keepUp({ ...ctx, signal }, node);
            return "done";
          },
          onFault: (node, error) =>
            ctx.log.error("the taints or labels of a node could not be changed", error, { node }),
        }),
        workOff(podQueue, {
          workers: 4,
          async work(key) {
            const pod = pods.get(keyFromText(key));
            const { nodeName: name = "" } = pod?.spec ?? {};
            if (pod && monitor.healths.isNotReady(name) && nodes.get({ name }))
              await markPodsNotReady({ ...ctx, events, signal }, [pod]);
            return "done";
          },
          onFault: (pod, error) =>
            ctx.log.error("a pod could not be marked as not ready", error, { pod }),
        }),
      ]);
    } finally {
      end();
    }
  },
});

/** Looks at all nodes, and again a while after that. */
async function monitoring(
  monitor: NodeMonitor,
  { clock, log, signal }: Pick<RunnableContext, "clock" | "log"> & { readonly signal: AbortSignal },
  periodMs: number,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await monitor.pass();
    } catch (error) {
      if (!signal.aborted) log.error("the nodes could not be looked at", error);
    }
    await sleep(clock, periodMs, signal).catch(() => undefined);
  }
}
