import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { keepsClaim } from "./claim-usage.ts";

const gone = { deletionTimestamp: "2026-01-01T00:00:00Z" };
const byName = { persistentVolumeClaim: { claimName: "p-v" } };
const ephemeral = { ephemeral: {} };

each<[string, metadata: object, spec: object, claimOwner: string, isKept: boolean]>([
  ["a pod on a node keeps it", {}, { nodeName: "n", volume: byName }, "", true],
  ["a pod without a node does not", {}, { volume: byName }, "", false],
  ["a pod that ends keeps it", gone, { nodeName: "n", volume: byName }, "", true],
  [
    "a pod that the kubelet is done with keeps it, unless the claim is its own",
    { ...gone, deletionGracePeriodSeconds: 0 },
    { nodeName: "n", volume: byName },
    "",
    true,
  ],
  [
    "a pod that the kubelet is done with does not keep its own claim",
    { ...gone, deletionGracePeriodSeconds: 0 },
    { nodeName: "n", volume: ephemeral },
    "u",
    false,
  ],
  ["a pod keeps its own claim", {}, { nodeName: "n", volume: ephemeral }, "u", true],
  ["another pod's own claim is not kept", {}, { nodeName: "n", volume: ephemeral }, "x", false],
])(
  "keepsClaim: %s",
  (_, metadata, { nodeName, volume }: { nodeName?: string; volume?: object }, owner, isKept) => {
    const pod = {
      metadata: { name: "p", uid: "u", ...metadata },
      spec: { nodeName, volumes: [{ name: "v", ...volume }] },
      status: {},
    } as unknown as Pod;
    const ownerReferences = owner ? [{ uid: owner, controller: true }] : [];
    const claim = {
      metadata: { name: "p-v", ownerReferences },
    } as unknown as PersistentVolumeClaim;
    expect(keepsClaim(pod, claim)).toBe(isKept);
  },
);
