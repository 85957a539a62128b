import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { notFound } from "../../../api/meta/v1/status-error.ts";
import type { Client } from "../../../client/client.ts";
import { resolveVolume } from "./resolve-volume.ts";

const pod = { metadata: { name: "p", namespace: "n", uid: "u" }, spec: {} } as unknown as Pod;
const claim = {
  metadata: { name: "c", namespace: "n", uid: "cu" },
  spec: { volumeName: "pv" },
  status: { phase: "Bound" },
};
const persistentVolume = {
  metadata: { name: "pv" },
  spec: { claimRef: { uid: "cu" }, hostPath: { path: "/x" }, volumeMode: "Filesystem" },
};

/** Objects by kind; one that is missing is not found. */
const clientWith = (objects: Readonly<Record<string, unknown>>): Client =>
  ({
    async get({ kind, plural }: { kind: string; plural: string }, { name }: { name: string }) {
      const found = objects[kind];
      if (!found) throw notFound({ group: "", resource: plural, name });
      return found;
    },
  }) as unknown as Client;

const resolve = (objects: Readonly<Record<string, unknown>>, volume: object = {}, use = {}) =>
  resolveVolume(
    {
      volume: { name: "v", persistentVolumeClaim: { claimName: "c" }, ...volume } as never,
      ...{ isMounted: true, isDevice: false },
      ...use,
    },
    pod,
    clientWith(objects),
  );
const bound = { PersistentVolumeClaim: claim, PersistentVolume: persistentVolume };

test("resolveVolume: a claim stands for its volume", async () => {
  expect(await resolve(bound)).toEqual({
    ...{ name: "pv", source: {}, persistentVolume, readOnly: false, mode: "Filesystem" },
  });
  const readOnly = { persistentVolumeClaim: { claimName: "c", readOnly: true } };
  expect(await resolve(bound, readOnly)).toMatchObject({ readOnly: true });
});

const ephemeral = { persistentVolumeClaim: undefined, ephemeral: {} };

test("resolveVolume: the claim of an ephemeral volume must be the pod's", async () => {
  const ownerReferences = [{ uid: "u", controller: true }];
  const own = { ...claim, metadata: { ...claim.metadata, ownerReferences } };
  expect(await resolve({ ...bound, PersistentVolumeClaim: own }, ephemeral)).toMatchObject({
    name: "pv",
  });
  await expect(resolve(bound, ephemeral)).rejects.toThrow(
    "PVC n/p-v was not created for pod n/p (pod is not owner)",
  );
});

const claimed = (change: object) => ({ ...bound, PersistentVolumeClaim: { ...claim, ...change } });
const provided = (spec: object) => ({
  ...bound,
  PersistentVolume: { ...persistentVolume, spec: { ...persistentVolume.spec, ...spec } },
});

each<[objects: Readonly<Record<string, unknown>>, message: string]>([
  [
    {},
    'error processing PVC n/c: failed to fetch PVC from API server: persistentvolumeclaims "c" not found',
  ],
  [claimed({ status: { phase: "Pending" } }), "error processing PVC n/c: PVC is not bound"],
  [
    claimed({ metadata: { ...claim.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } }),
    "error processing PVC n/c: PVC is being deleted",
  ],
  [claimed({ spec: {} }), "error processing PVC n/c: PVC has empty pvc.Spec.VolumeName"],
  [
    { PersistentVolumeClaim: claim },
    'error processing PVC n/c: failed to fetch PV pv from API server: persistentvolumes "pv" not found',
  ],
  [
    provided({ claimRef: undefined }),
    "error processing PVC n/c: found PV object pv but it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim",
  ],
  [
    provided({ claimRef: { uid: "other" } }),
    "error processing PVC n/c: found PV object pv but its pv.Spec.ClaimRef.UID other does not point to claim.UID cu",
  ],
  [
    provided({ volumeMode: "Block" }),
    "volume v has volumeMode Block, but is specified in volumeMounts",
  ],
])("resolveVolume: %j rejects", async (objects, message) => {
  await expect(resolve(objects)).rejects.toThrow(message);
});

test("resolveVolume: a device needs a volume of mode Block", async () => {
  const use = { isMounted: false, isDevice: true };
  await expect(resolve(bound, {}, use)).rejects.toThrow(
    "volume v has volumeMode Filesystem, but is specified in volumeDevices",
  );
  expect(await resolve(provided({ volumeMode: "Block" }), {}, use)).toMatchObject({
    mode: "Block",
  });
});
