import { Pod } from "../../api/core/v1/pod/pod.ts";
import { claimsOfPod, isClaimForPod } from "../../api/core/v1/pod/pod-claims.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { errorMessage } from "../../base/error-message.ts";
import { formatKey, keyOf } from "../../client/resource-kind.ts";
import { withController } from "../../controller-runtime/objects/owner-references.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";
import { byClaim, podsByClaim } from "../pods-by-claim.ts";

type Volume = NonNullable<Pod["spec"]["volumes"]>[number];

/** Creates the claims of ephemeral volumes, each owned by its pod. */
export const ephemeralVolumeController = controller({
  name: "ephemeral-volume-controller",
  eventSource: "ephemeral_volume",
  for: Pod,
  // The volumes of a pod never change.
  predicates: [({ type, object }) => type === "added" && needsClaims(object)],
  watches: [
    {
      kind: PersistentVolumeClaim,
      predicates: [({ type }) => type === "deleted"],
      map: async (claim, { cache }) =>
        (await cache.byIndex(Pod, byClaim, formatKey(keyOf(claim)))).filter(needsClaims).map(keyOf),
    },
  ],
  indexes: [podsByClaim],

  async reconcile(key, ctx) {
    const pod = await ctx.cache.get(Pod, key);
    if (!pod || !needsClaims(pod)) return;
    for (const volume of pod.spec.volumes ?? []) {
      try {
        await ensureClaim(pod, volume, ctx);
      } catch (error) {
        const note = `ephemeral volume ${volume.name}: ${errorMessage(error)}`;
        ctx.events.record(pod, { type: "Warning", reason: "FailedBinding", note });
        throw new Error(`pod ${formatKey(key)}, ${note}`, { cause: error });
      }
    }
  },
});

const needsClaims = (pod: Pod): boolean =>
  !pod.metadata.deletionTimestamp && claimsOfPod(pod).some(({ isEphemeral }) => isEphemeral);

async function ensureClaim(
  pod: Pod,
  { name: volumeName, ephemeral }: Volume,
  { cache, client, signal }: ReconcileContext,
): Promise<void> {
  if (!ephemeral) return;
  const { namespace } = pod.metadata;
  const name = `${pod.metadata.name}-${volumeName}`;
  const found = await cache.get(PersistentVolumeClaim, { namespace, name });
  if (found) {
    if (isClaimForPod(found, pod)) return;
    throw new Error(
      `PVC ${namespace}/${name} was not created for pod ${namespace}/${pod.metadata.name} (pod is not owner)`,
    );
  }
  const { metadata: { annotations, labels } = {}, spec } = ephemeral.volumeClaimTemplate ?? {};
  const claim = withController({ metadata: { name, namespace, annotations, labels }, spec }, pod);
  try {
    await client.create(PersistentVolumeClaim, claim as never, { signal });
  } catch (error) {
    throw new Error(`create PVC ${name}: ${errorMessage(error)}`, { cause: error });
  }
}
