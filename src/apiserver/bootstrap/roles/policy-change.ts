import type { Address } from "../../objects/address.ts";
import type { Writer } from "../../verbs/writer.ts";
import { type PolicyChange, reconciled } from "./policy-plan.ts";

/** Carries out a change of the policy, which another server may have made in the meantime. */
export async function changePolicy(
  writer: Writer,
  { kind, ...key }: Address,
  change: PolicyChange,
): Promise<void> {
  const { object } = change;
  if (change.type === "update") {
    await writer.createOrUpdate(kind, key, (existing) =>
      existing ? (reconciled(existing, object) ?? existing) : object,
    );
    return;
  }
  if (change.type === "recreate") await writer.delete(kind, key, { uid: change.uid });
  await writer.ensure(kind, object);
}
