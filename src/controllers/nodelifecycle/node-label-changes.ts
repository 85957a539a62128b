import type { Node } from "../../api/core/v1/node/node.ts";

/** The deprecated labels with a node's operating system and architecture, if they must change. */
export function nodeLabelChanges({
  metadata: { labels = {} },
}: Node): Readonly<Record<string, string>> | undefined {
  const changes = names.flatMap(({ label, older }) => {
    const value = labels[label];
    return value === undefined || labels[older] === value ? [] : [[older, value] as const];
  });
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}

const names = [
  { label: "kubernetes.io/os", older: "beta.kubernetes.io/os" },
  { label: "kubernetes.io/arch", older: "beta.kubernetes.io/arch" },
];
