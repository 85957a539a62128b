import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { multiAttachNote } from "./attachment-notes.ts";

const pod = (namespace: string, name: string) => ({ metadata: { namespace, name } }) as Pod;

each<[string, users: readonly Pod[], string]>([
  [
    "nobody uses it any more",
    [],
    "Volume is already exclusively attached to one node, waiting on detach before it can be attached to another node",
  ],
  [
    "pods of the namespace are named",
    [pod("a", "z"), pod("a", "x")],
    "Volume is already used by pod(s) x, z",
  ],
  [
    "pods of other namespaces are counted",
    [pod("b", "x")],
    "Volume is already used by 1 pod(s) in different namespaces",
  ],
  [
    "both are told",
    [pod("a", "x"), pod("b", "y"), pod("c", "z")],
    "Volume is already used by pod(s) x and 2 pod(s) in different namespaces",
  ],
])("multiAttachNote: %s", (_, users, expected) => {
  const note = multiAttachNote(pod("a", "new"), "v", users);
  expect(note).toBe(`Waiting for detach for volume "v" ${expected}`);
});
