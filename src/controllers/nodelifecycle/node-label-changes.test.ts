import { expect, test } from "vitest";
import type { Node } from "../../api/core/v1/node/node.ts";
import { nodeLabelChanges } from "./node-label-changes.ts";

type Labels = Record<string, string>;

test.each<[string, Labels | undefined, Labels | undefined]>([
  ["without labels there is nothing to do", undefined, undefined],
  ["nor without the new ones", { "beta.kubernetes.io/os": "linux" }, undefined],
  [
    "what is missing is added",
    { "kubernetes.io/os": "linux", "kubernetes.io/arch": "arm64" },
    { "beta.kubernetes.io/os": "linux", "beta.kubernetes.io/arch": "arm64" },
  ],
  [
    "what differs is as the new one says",
    {
      "kubernetes.io/os": "linux",
      "beta.kubernetes.io/os": "windows",
      "kubernetes.io/arch": "arm64",
      "beta.kubernetes.io/arch": "arm64",
    },
    { "beta.kubernetes.io/os": "linux" },
  ],
])("nodeLabelChanges: %s", (_, labels, changes) => {
  const node = { metadata: { name: "n", ...(labels && { labels }) } } as unknown as Node;
  expect(nodeLabelChanges(node)).toEqual(changes);
});
