import type { Address } from "../../objects/address.ts";
import type { ApiObject, ObjectDraft } from "../../objects/object.ts";
import type { RequestContext } from "../../objects/request-context.ts";
import { create } from "../../verbs/create.ts";
import { deleteObject } from "../../verbs/delete.ts";
import { tolerating } from "../../verbs/tolerating.ts";
import { update } from "../../verbs/update.ts";
import type { VerbParts } from "../../verbs/verb-parts.ts";
import { type PolicyChange, reconciled } from "./policy-plan.ts";

/** Carries out a change of the policy; what another server has done meanwhile is fine. */
export async function changePolicy(
  parts: VerbParts,
  address: Address,
  { change, context }: { readonly change: PolicyChange; readonly context: RequestContext },
): Promise<void> {
  const { object } = change;
  if (change.type === "update") {
    const next = (existing: ApiObject | undefined): ObjectDraft =>
      structuredClone(
        existing ? (reconciled(existing, object) ?? existing) : object,
      ) as ObjectDraft;
    await update(parts, { address, subresource: "", change: next }, context);
    return;
  }
  if (change.type === "recreate") {
    const options = { preconditions: { uid: change.uid } };
    await tolerating(["NotFound", "Conflict"], deleteObject(parts, address, { options, context }));
  }
  const draft = structuredClone(object) as ObjectDraft;
  await tolerating(["AlreadyExists"], create(parts, address, { draft, context }));
}
