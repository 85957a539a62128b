import type { Binding } from "../../api/core/v1/pod/binding.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { withPodCondition } from "../../api/core/v1/pod/pod-status.ts";
import { badRequest, conflict, StatusError } from "../../api/meta/v1/status-error.ts";
import { At } from "../../schema/language/report.ts";
import { type Address, resourceName } from "../objects/address.ts";
import { now } from "../objects/environment.ts";
import type { AnyKind, ApiObject, ObjectDraft } from "../objects/object.ts";
import { canonical } from "../objects/object.ts";
import type { RequestContext } from "../objects/request-context.ts";
import { checkNamespace } from "../verbs/create.ts";
import { wrongUid } from "../verbs/update.ts";
import type { VerbParts } from "../verbs/verb-parts.ts";

export interface BindingRequest {
  readonly bindingKind: AnyKind;
  readonly draft: ObjectDraft;
  readonly context: RequestContext;
  /** Empty for a binding that was sent to the collection of bindings. */
  readonly subresource: string;
}

/** Assigns the pod at an address to the node that a binding names. */
export async function bind(
  parts: VerbParts,
  address: Address,
  { bindingKind, draft, context, subresource }: BindingRequest,
): Promise<void> {
  checkNamespace(bindingKind, address.namespace, draft);
  const request = {
    operation: "CREATE",
    address: subresource === "" ? { ...address, kind: bindingKind } : address,
    subresource,
    objectKind: bindingKind,
    old: undefined,
    context,
  } as const;
  await parts.admission.admit({ ...request, object: draft });
  if (draft.metadata.name !== address.name)
    throw badRequest("name in URL does not match name in Binding object");
  const at = At.root();
  bindingKind.validateCreate(draft as ApiObject, at);
  if (at.errors.length > 0)
    throw new StatusError(
      "",
      at.errors.map(({ field, message }) => `${field}: ${message}`).join(", "),
    );
  await parts.admission.validate({ ...request, object: draft as ApiObject });
  const binding = draft as unknown as Binding;
  for (;;) {
    const existing = await parts.reader.read(address);
    checkPreconditions(address, binding, existing.object);
    const pod = assigned(existing.object as unknown as Pod, binding, now(parts.environment));
    if (context.dryRun) return;
    context.checkpoint?.();
    const object = canonical(address.kind, pod);
    const outcome = await parts.committer.put(address, { object, ifRevision: existing.revision });
    if (outcome !== "conflict") return;
  }
}

function checkPreconditions(
  address: Address,
  { metadata }: Binding,
  { metadata: actual }: ApiObject,
): void {
  const { uid, resourceVersion } = metadata;
  if (uid && uid !== actual.uid)
    throw conflict(resourceName(address), wrongUid(address, uid, actual.uid ?? ""));
  if (resourceVersion && resourceVersion !== actual.resourceVersion)
    throw conflict(
      resourceName(address),
      wrongUid(address, resourceVersion, actual.resourceVersion ?? "", "ResourceVersion"),
    );
}

/** The pod with its node; throws if it cannot be assigned to one. */
function assigned(old: Pod, { metadata, target }: Binding, time: string): Pod {
  const name = old.metadata.name ?? "";
  const rejection = (why: string) =>
    conflict({ group: "", resource: "pods/binding", name }, `pod ${name} ${why}`);
  if (old.metadata.deletionTimestamp)
    throw rejection("is being deleted, cannot be assigned to a host");
  if (old.spec.nodeName)
    throw rejection(`is already assigned to node ${JSON.stringify(old.spec.nodeName)}`);
  if ((old.spec.schedulingGates ?? []).length > 0)
    throw rejection("has non-empty .spec.schedulingGates");
  const scheduled = { type: "PodScheduled", status: "True" };
  const { nominatedNodeName: _, ...status } = old.status;
  return {
    ...old,
    metadata: {
      ...old.metadata,
      annotations: { ...old.metadata.annotations, ...metadata.annotations },
      labels: { ...old.metadata.labels, ...metadata.labels },
    },
    spec: { ...old.spec, nodeName: target.name },
    status: { ...status, conditions: withPodCondition(old.status, scheduled, time) },
  };
}
