import { Node } from "../../api/core/v1/node/node.ts";
import { keyOf } from "../../client/resource-kind.ts";
import type { Runnable } from "../../controller-runtime/manager/manager-options.ts";
import {
  type QueueControllerContext,
  queueController,
} from "../../controller-runtime/reconcile/queue-controller.ts";
import type { IpamRanges } from "./ipam-ranges.ts";
import { nodeIpamMetrics } from "./node-ipam-metrics.ts";
import { NoRangeLeftError, RangeAllocator } from "./range-allocator.ts";

/** Assigns ranges of pod addresses to nodes that have none. */
export const nodeIpamController = (ranges: IpamRanges): Runnable =>
  queueController({
    name: "node-ipam-controller",
    setUp(ctx) {
      const allocator = new RangeAllocator(ranges, nodeIpamMetrics(ctx.metrics));
      const nodes = ctx.informer(Node);
      const recordStatus = statusRecorder(ctx);
      const queue = ctx.queue({
        name: "cidrallocator_node",
        workers: 30,
        failure: "assigning a range of pod addresses failed",
        async work(name) {
          const node = nodes.get({ name });
          if (!node || hasRanges(node) || node.metadata.deletionTimestamp) return;
          try {
            const podCIDRs = allocator.choose(node);
            const patch = { spec: { podCIDR: podCIDRs[0], podCIDRs } };
            await ctx.client.patch(Node, keyOf(node), { strategic: patch }, ctx);
            ctx.log.info("assigned a range of pod addresses", { node: name, ranges: podCIDRs });
          } catch (error) {
            if (ctx.signal.aborted) return;
            const isFull = error instanceof NoRangeLeftError;
            recordStatus(node, isFull ? "CIDRNotAvailable" : "CIDRAssignmentFailed");
            throw error;
          }
        },
      });
      const noticed = (node: Node): void => {
        if (!hasRanges(node)) {
          queue.add(node.metadata.name ?? "");
          return;
        }
        const problem = allocator.occupy(node);
        if (problem) ctx.log.debug("the range of a node is not from this cluster's", { problem });
      };
      ctx.onSynced(async () => {
        const handler = nodes.addHandler({
          added: noticed,
          updated(node, old) {
            if (!hasRanges(node) || !hasRanges(old)) noticed(node);
          },
          deleted: (node) => allocator.release(node),
        });
        // The ranges of all nodes are known before the first is chosen.
        await handler.synced(ctx);
      });
    },
  });

const hasRanges = ({ spec }: Node): boolean => (spec.podCIDRs ?? []).length > 0;

/** Records events as upstream's allocator does. */
function statusRecorder(ctx: QueueControllerContext) {
  const events = ctx.events("cidrAllocator");
  return ({ metadata: { name, uid } }: Node, reason: string): void => {
    const object = { apiVersion: "v1", kind: "Node", metadata: { name, uid } };
    events.record(object, {
      type: "Normal",
      reason,
      note: `Node ${name} status is now: ${reason}`,
    });
  };
}
