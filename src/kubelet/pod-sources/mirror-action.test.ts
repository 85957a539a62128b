import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { type MirrorAction, type MirroredPod, mirrorAction } from "./mirror-action.ts";

const pod = { metadata: { annotations: { "kubernetes.io/config.hash": "1" } } } as unknown as Pod;
const mirror = (hash: string, metadata: object = {}) =>
  ({
    metadata: { annotations: { "kubernetes.io/config.mirror": hash }, ...metadata },
  }) as unknown as Pod;
const deleted = { deletionTimestamp: "2026-01-01T00:00:00Z" };

each<[what: string, mirrored: MirroredPod, mirror: Pod | undefined, action: MirrorAction]>([
  ["a static pod without a mirror pod", pod, undefined, "create"],
  ["a static pod with its mirror pod", pod, mirror("1"), "none"],
  ["the mirror pod of an earlier version", pod, mirror("0"), "replace"],
  ["a mirror pod that is being deleted", pod, mirror("1", deleted), "replace"],
  ["a mirror pod without a static pod", undefined, mirror("1"), "delete"],
  ["neither", undefined, undefined, "none"],
  ["a static pod that ends", "any", mirror("1"), "none"],
  ["a static pod that ends, without a mirror pod", "any", undefined, "none"],
])("mirrorAction: %s", (_, mirrored, known, action) => {
  expect(mirrorAction(mirrored, known)).toBe(action);
});
