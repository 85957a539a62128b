import type { ApiObject } from "../objects/object.ts";
import type { VerbParts } from "../verbs/verb-parts.ts";
import type { Keeper } from "./follower.ts";
import { cached, ensure, placed } from "./own-work.ts";

const names = ["default", "kube-node-lease", "kube-public", "kube-system"];

/** The namespaces that every cluster has. */
export const systemNamespaces = (): ApiObject[] =>
  names.map((name) => ({ kind: "Namespace", apiVersion: "v1", metadata: { name }, spec: {} }));

/** Makes the system's namespaces again when one was deleted. */
export function keepNamespaces(parts: VerbParts): Keeper[] {
  const wanted = systemNamespaces().flatMap((object) => placed(parts, object));
  const [first] = wanted;
  if (!first) return [];
  return [
    {
      task: "keep system namespaces",
      queue: "system_namespaces_controller",
      kinds: [first.address.kind],
      concerns: ({ type, object }) =>
        type === "DELETED" && names.includes(object.object.metadata.name ?? ""),
      async sync() {
        for (const item of wanted) if (!cached(parts, item.address)) await ensure(parts, item);
      },
    },
  ];
}
