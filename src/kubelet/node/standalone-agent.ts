import type { Node } from "../../api/core/v1/node/node.ts";
import type { KubeletEvents } from "../kubelet-events.ts";
import { type CurrentStatusOptions, currentStatus } from "./current-status.ts";
import { initialNode } from "./initial-node.ts";
import type { NodeAgent } from "./node-agent.ts";
import { createNodeAnnouncer } from "./node-announcer.ts";

/** The agent of a node without an API server: nobody but the kubelet itself knows the node. */
export function createStandaloneAgent(
  options: CurrentStatusOptions & { readonly events: KubeletEvents },
): NodeAgent {
  const { config, events } = options;
  let node: Node | undefined;
  return {
    get node() {
      return node;
    },
    async prepare() {
      node = initialNode(config, await currentStatus(options, {})) as Node;
    },
    async register() {
      createNodeAnnouncer(config.name, events).starting();
    },
    refresh: async () => {},
    awaitReady: async () => {},
  };
}
