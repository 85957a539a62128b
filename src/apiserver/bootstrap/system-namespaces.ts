import { Namespace } from "../../api/core/v1/namespace.ts";
import type { OwnParts } from "../verbs/writer.ts";
import type { Reconciler } from "./reconcile-loop.ts";

/** The namespaces that every cluster has. */
export const systemNamespaces = ["default", "kube-node-lease", "kube-public", "kube-system"];

/** Creates system namespaces again when they are deleted. */
export function namespaceReconciler({ reader, writer }: OwnParts): Reconciler[] {
  if (!reader.serves(Namespace)) return [];
  return [
    {
      task: "system namespaces",
      queue: "system_namespaces_controller",
      kinds: [Namespace],
      isRelevant: ({ type, object }) =>
        type === "DELETED" && systemNamespaces.includes(object.object.metadata.name ?? ""),
      async reconcile() {
        for (const name of systemNamespaces)
          if (!reader.getCached(Namespace, { name }))
            await writer.ensure(Namespace, { metadata: { name } });
      },
    },
  ];
}
