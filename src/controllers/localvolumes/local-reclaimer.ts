import { Node } from "../../api/core/v1/node/node.ts";
import { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import { localDataFinalizer, volumeNode } from "../../api/core/v1/volume/wherry-local-volume.ts";
import { ignoreNotFound } from "../../client/ignore-not-found.ts";
import { keyOf } from "../../client/resource-kind.ts";
import { withoutFinalizer } from "../../controller-runtime/objects/finalizers.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import { localVolumeStep } from "./local-volume.ts";

/** Deletes released volumes. A finalizer holds them until their node has removed the data, or is gone itself. */
export const localReclaimer = controller({
  name: "local-volume-provisioner-controller-volumes",
  for: PersistentVolume,
  predicates: [
    ({ type, object }) => type !== "deleted" && localVolumeStep(object, false) !== undefined,
  ],
  watches: [
    {
      kind: Node,
      predicates: [({ type }) => type === "deleted"],
      map: async ({ metadata }, { cache }) =>
        (await cache.list(PersistentVolume))
          .filter((volume) => volume.metadata.annotations?.[volumeNode] === metadata.name)
          .map(keyOf),
    },
  ],

  async reconcile(key, { cache, client, signal }) {
    const volume = await cache.get(PersistentVolume, key);
    if (!volume) return;
    const node = { name: volume.metadata.annotations?.[volumeNode] ?? "" };
    const hasNode = (await cache.get(Node, node)) !== undefined;
    const step = localVolumeStep(volume, hasNode);
    const { uid, resourceVersion } = volume.metadata;
    if (step === "delete") {
      const preconditions = { uid, resourceVersion };
      await ignoreNotFound(client.delete(PersistentVolume, key, { preconditions, signal }));
    } else if (step === "forget data") {
      const free = withoutFinalizer(volume, localDataFinalizer);
      if (free !== volume) await client.update(PersistentVolume, free, { signal });
    }
  },
});
