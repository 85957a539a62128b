import { Pod } from "../../api/core/v1/pod/pod.ts";
import { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import { ResourceClaimTemplate } from "../../api/resource/v1/resource-claim-template.ts";
import { errorMessage } from "../../base/error-message.ts";
import { formatKey, formatKeyOf, keyOf } from "../../client/resource-kind.ts";
import { controllerOf, isControlledBy } from "../../controller-runtime/objects/owner-references.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";
import { claimFromTemplate, podClaimAnnotation } from "./claim-from-template.ts";
import {
  claimNames,
  claimOfPod,
  isPodDone,
  type PodResourceClaim,
  templateNames,
} from "./claims-of-pod.ts";

const fieldManager = "ResourceClaimController";
const byClaim = "resource-claim";
const byTemplate = "resource-claim-template";
const byPod = "owning-pod";

/** Makes the claims of pods from their templates, and reserves claims for pods that are already scheduled. */
export const podClaimsController = controller({
  name: "resourceclaim-controller",
  eventSource: "resource_claim",
  for: Pod,
  predicates: [
    ({ type, object }) =>
      type !== "deleted" && needsClaims(object) && (object.spec.resourceClaims?.length ?? 0) > 0,
  ],
  watches: [
    {
      kind: ResourceClaim,
      mapKey: () => "",
      map: async (claim: ResourceClaim, { cache }) =>
        (await cache.byIndex(Pod, byClaim, formatKeyOf(claim))).map(keyOf),
    },
    {
      kind: ResourceClaimTemplate,
      predicates: [({ type }) => type !== "deleted"],
      mapKey: () => "",
      map: async (template: ResourceClaimTemplate, { cache }) =>
        (await cache.byIndex(Pod, byTemplate, formatKeyOf(template))).map(keyOf),
    },
  ],
  indexes: [
    { kind: Pod, name: byClaim, valuesOf: (pod) => keysIn(pod as Pod, claimNames(pod as Pod)) },
    {
      kind: Pod,
      name: byTemplate,
      valuesOf: (pod) => keysIn(pod as Pod, templateNames(pod as Pod)),
    },
    { kind: ResourceClaim, name: byPod, valuesOf: (claim) => podUids(claim as ResourceClaim) },
  ],
  async reconcile(key, ctx) {
    const pod = await ctx.cache.get(Pod, key);
    if (!pod || !needsClaims(pod)) return;
    const made = new Map<string, string>();
    for (const claim of pod.spec.resourceClaims ?? []) {
      const name = await madeClaim(pod, claim, ctx).catch((error: unknown) => {
        const note = `PodResourceClaim ${claim.name}: ${errorMessage(error)}`;
        ctx.events.record(pod, { type: "Warning", reason: "FailedResourceClaimCreation", note });
        throw new Error(`pod ${formatKey(key)}, ${note}`, { cause: error });
      });
      if (name !== undefined) made.set(claim.name, name);
    }
    const current = made.size > 0 ? await writeMade(pod, made, ctx) : pod;
    // The scheduler reserves the claims of pods that it schedules.
    if (current.spec.nodeName) await reserveClaims(current, ctx);
  },
});

/** A pod that is done gets no claims: they would be released and deleted at once. */
const needsClaims = (pod: Pod): boolean => !pod.metadata.deletionTimestamp && !isPodDone(pod);

const keysIn = ({ metadata: { namespace } }: Pod, names: readonly string[]): readonly string[] =>
  names.map((name) => formatKey({ namespace, name }));

function podUids(claim: ResourceClaim): readonly string[] {
  const owner = controllerOf(claim);
  return owner?.apiVersion === "v1" && owner.kind === "Pod" && owner.uid ? [owner.uid] : [];
}

/** The name of the claim that was made for a pod, now or before; undefined if nothing has to be written. */
async function madeClaim(
  pod: Pod,
  claim: PodResourceClaim,
  { cache, client, log, signal }: ReconcileContext,
): Promise<string | undefined> {
  const { namespace } = pod.metadata;
  const found = claimOfPod(pod, claim);
  if (found.type === "none") return undefined;
  if (found.type === "unknown")
    throw new Error(
      `checking for claim before creating it: pod "${formatKeyOf(pod)}", spec.resourceClaim "${claim.name}": none of the supported fields are set`,
    );
  const templateName = claim.resourceClaimTemplateName;
  if (templateName === undefined) return undefined;
  if (found.type === "named") {
    const object = await cache.get(ResourceClaim, { namespace, name: found.name });
    if (object && isControlledBy(object, pod)) return undefined;
    if (object) log.warn("the claim of the pod has another owner", { claim: found.name });
  }
  // One may have been created before the status of the pod could be written.
  const owned = await cache.byIndex(ResourceClaim, byPod, pod.metadata.uid ?? "");
  const earlier = owned.find(
    ({ metadata }) => metadata.annotations?.[podClaimAnnotation] === claim.name,
  );
  if (earlier) return earlier.metadata.name;
  const template = await cache.get(ResourceClaimTemplate, { namespace, name: templateName });
  if (!template)
    throw new Error(
      `resource claim template "${templateName}": resourceclaimtemplate.resource.k8s.io "${templateName}" not found`,
    );
  const created = await client
    .create(ResourceClaim, claimFromTemplate(pod, claim.name, template), { signal })
    .catch((error: unknown) => {
      throw new Error(`create ResourceClaim : ${errorMessage(error)}`, { cause: error });
    });
  return created.metadata.name;
}

/** Writes the names of claims to the status of a pod, beside those that it has. */
async function writeMade(
  pod: Pod,
  made: ReadonlyMap<string, string>,
  { client, signal }: ReconcileContext,
): Promise<Pod> {
  const { name, namespace } = pod.metadata;
  const kept = (pod.status.resourceClaimStatuses ?? []).filter((one) => !made.has(one.name));
  const added = [...made].map(([claim, object]) => ({ name: claim, resourceClaimName: object }));
  const status = { resourceClaimStatuses: [...kept, ...added] };
  const options = { subresource: "status", fieldManager, force: true, signal };
  return client.apply(Pod, { metadata: { name, namespace }, status }, options);
}

/** Reserves the allocated claims of a pod that was put on a node by others than the scheduler. */
async function reserveClaims(pod: Pod, { cache, client, signal }: ReconcileContext): Promise<void> {
  const { namespace, name = "", uid = "" } = pod.metadata;
  for (const reference of pod.spec.resourceClaims ?? []) {
    const found = claimOfPod(pod, reference);
    if (found.type !== "named") continue;
    const claim = await cache.get(ResourceClaim, { namespace, name: found.name });
    if (!claim) return;
    if (found.isMade && !isControlledBy(claim, pod))
      throw new Error(
        `ResourceClaim ${formatKeyOf(claim)} was not created for Pod ${formatKeyOf(pod)} (Pod is not owner)`,
      );
    const { allocation, reservedFor = [] } = claim.status ?? {};
    if (!allocation || reservedFor.some((consumer) => consumer.uid === uid)) continue;
    const consumers = [...reservedFor, { resource: "pods", name, uid }];
    const status = { ...claim.status, reservedFor: consumers };
    await client.update(ResourceClaim, { ...claim, status }, { subresource: "status", signal });
  }
}
