import type { Node } from "../../api/core/v1/node/node.ts";
import type { KubeletEvents } from "../kubelet-events.ts";
import { nodeTransitions } from "./node-conditions.ts";

/** Records the events about a node itself. */
export interface NodeAnnouncer {
  starting(): void;
  registered(node: Node): void;
  /** The status was written. */
  changed(before: Node, after: Node): void;
  /** The node was read; others may have closed it for scheduling, or opened it. */
  seen(node: Node): void;
}

export function createNodeAnnouncer(name: string, events: KubeletEvents): NodeAnnouncer {
  const object = { metadata: { name } };
  let wasUnschedulable = false;
  let hasRebooted = false;

  const tell = (reason: string): void => {
    const message = `Node ${name} status is now: ${reason}`;
    events.node(object, { type: "Normal", reason, message });
  };
  return {
    starting() {
      events.node(object, { type: "Normal", reason: "Starting", message: "Starting kubelet." });
    },
    registered({ status }) {
      for (const reason of nodeTransitions([], status.conditions ?? [])) tell(reason);
    },
    changed({ status: before }, { status: after }) {
      const bootID = after.nodeInfo?.bootID ?? "";
      const oldBootID = before.nodeInfo?.bootID ?? "";
      if (!hasRebooted && oldBootID !== "" && oldBootID !== bootID) {
        hasRebooted = true;
        const message = `Node ${name} has been rebooted, boot id: ${bootID}`;
        events.node(object, { type: "Warning", reason: "Rebooted", message });
      }
      for (const reason of nodeTransitions(before.conditions ?? [], after.conditions ?? []))
        tell(reason);
    },
    seen({ spec: { unschedulable = false } }) {
      if (unschedulable === wasUnschedulable) return;
      wasUnschedulable = unschedulable;
      tell(unschedulable ? "NodeNotSchedulable" : "NodeSchedulable");
    },
  };
}
