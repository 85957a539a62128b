import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { decideVolume, reclaimFailure, unbound } from "./decide-volume.ts";

const volume = (spec: object, annotations = {}) =>
  ({ metadata: { name: "v", annotations }, spec, status: {} }) as unknown as PersistentVolume;
const claim = (spec: object) =>
  ({ metadata: { name: "c" }, spec }) as unknown as PersistentVolumeClaim;
const claimRef = { uid: "u" };
const provisioned = { "pv.kubernetes.io/provisioned-by": "example.com/p" };

each<
  [string, volume: PersistentVolume, claim: PersistentVolumeClaim | undefined, expected: object]
>([
  ["without a claim", volume({}), undefined, { phase: "Available" }],
  ["reserved", volume({ claimRef: { name: "c" } }), undefined, { phase: "Available" }],
  ["claim gone", volume({ claimRef }), undefined, { type: "reclaim" }],
  ["bound", volume({ claimRef }), claim({ volumeName: "v" }), { phase: "Bound" }],
  ["claim not bound yet", volume({ claimRef }), claim({}), { type: "leave to claim" }],
  [
    "claim of another mode",
    volume({ claimRef }),
    claim({ volumeMode: "Block" }),
    { type: "mismatch" },
  ],
  ["claim bound elsewhere", volume({ claimRef }), claim({ volumeName: "w" }), { type: "unbind" }],
  [
    "claim bound elsewhere, provisioned",
    volume({ claimRef, persistentVolumeReclaimPolicy: "Delete" }, provisioned),
    claim({ volumeName: "w" }),
    { type: "reclaim" },
  ],
])("decideVolume: %s", (_, one, of, expected) => {
  expect(decideVolume(one, of)).toMatchObject(expected);
});

const policy = (persistentVolumeReclaimPolicy: string, spec: object = {}) => ({
  persistentVolumeReclaimPolicy,
  ...spec,
});
each<[volume: PersistentVolume, note: string | undefined]>([
  [volume(policy("Retain")), undefined],
  [volume(policy("Recycle", { nfs: {} })), "No recycler plugin found for the volume!"],
  [volume(policy("Delete"), provisioned), undefined],
  [volume(policy("Delete", { csi: {} })), undefined],
  [volume(policy("Delete"), { "pv.kubernetes.io/migrated-to": "d" }), undefined],
  [
    volume(policy("Delete", { nfs: {} })),
    'error getting deleter volume plugin for volume "v": no deletable volume plugin matched',
  ],
  [
    volume(policy("Delete", { local: {} })),
    'error getting deleter volume plugin for volume "v": no volume plugin matched',
  ],
  [
    volume(policy("Delete", { hostPath: { path: "/x" } })),
    "host_path deleter only supports /tmp/.+ but received provided /x",
  ],
  [volume(policy("Odd")), "Volume has unrecognized PersistentVolumeReclaimPolicy"],
])("reclaimFailure: %j", (one, note) => {
  expect(reclaimFailure(one)?.note).toBe(note);
});

each<[volume: PersistentVolume, claimRef: object | undefined]>([
  [volume({ claimRef: { name: "c", uid: "u" } }), { name: "c" }],
  [volume({ claimRef }, { "pv.kubernetes.io/bound-by-controller": "yes" }), undefined],
])("unbound: %j", (one, expected) => {
  expect(unbound(one).spec.claimRef).toEqual(expected);
});
