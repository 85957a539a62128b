import { Namespace } from "../../api/core/v1/namespace.ts";
import type { OwnParts } from "../verbs/writer.ts";
import type { Keeper } from "./follower.ts";

/** The namespaces that every cluster has. */
export const systemNamespaces = ["default", "kube-node-lease", "kube-public", "kube-system"];

/** Makes the system's namespaces again when one was deleted. */
export function keepNamespaces({ reader, writer }: OwnParts): Keeper[] {
  if (!reader.serves(Namespace)) return [];
  return [
    {
      task: "keep system namespaces",
      queue: "system_namespaces_controller",
      kinds: [Namespace],
      concerns: ({ type, object }) =>
        type === "DELETED" && systemNamespaces.includes(object.object.metadata.name ?? ""),
      async sync() {
        for (const name of systemNamespaces)
          if (!reader.getCached(Namespace, { name }))
            await writer.ensure(Namespace, { metadata: { name } });
      },
    },
  ];
}
