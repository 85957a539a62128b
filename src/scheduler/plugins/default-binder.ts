import { Pod } from "../../api/core/v1/pod.ts";
import { PodBinding } from "../../client/subresource-kinds.ts";
import type { PluginFactory } from "../framework/plugin.ts";

/** Tells the API server on which node a pod is. */
export const defaultBinder: PluginFactory = (_, { client }) => ({
  name: "DefaultBinder",
  async bind(_state, { name, namespace, uid }, { node, signal }) {
    const binding = {
      metadata: { name, namespace, uid },
      target: { kind: "Node", name: node },
    };
    await client
      .subresource(Pod, { name, namespace }, "binding")
      .create(PodBinding, binding, { signal });
    return undefined;
  },
});
