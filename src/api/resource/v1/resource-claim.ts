import { value } from "../../../schema/language/field.ts";
import type { Draft } from "../../../schema/language/struct.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { internalForm } from "../../meta/v1/internal-form.ts";
import { kind, type ObjectOf, type ObjectValue } from "../../meta/v1/kind.ts";
import { semanticEqual } from "../../meta/v1/semantic-equal.ts";
import { requestNamesOf, validateDeviceClaim } from "./device-claim-validation.ts";
import { resourceClaimSpec } from "./resource-claim-spec.ts";
import { resourceClaimStatus } from "./resource-claim-status.ts";
import { deviceIdOf, validateClaimStatus } from "./resource-claim-status-validation.ts";
import { define, group, type Version } from "./versions.ts";

const fieldsIn = (version: Version) => ({
  spec: value(2, resourceClaimSpec(version)).expected().doc("What the claim asks for."),
  status: value(3, resourceClaimStatus(version)).doc("What became of it."),
});
type Claim = ObjectValue<ReturnType<typeof fieldsIn>>;

/** The kind in a version. */
export const resourceClaim = (version: Version) =>
  define({
    group,
    version,
    kind: "ResourceClaim",
    plural: "resourceclaims",
    scope: "Namespaced",
    doc: "Asks for devices, for pods to use.",
    name: nameIsDnsSubdomain,
    fields: fieldsIn(version),
    subresources: ["status"],
    rules: [({ spec }, at) => validateDeviceClaim(spec.devices, at.child("spec").child("devices"))],
    firstUpdateRules: (_claim, _old, { metadata }) => metadata(),
    updateRules({ spec }, old, { at }) {
      const struct = resourceClaimSpec("v1");
      if (!semanticEqual(struct, spec, old.spec))
        at.invalid("spec", internalForm(struct, spec), "field is immutable");
    },
    statusRules({ metadata, spec, status }, old, { at }) {
      validateClaimStatus(status, at.child("status"), {
        old: old.status,
        isDeleted: metadata.deletionTimestamp !== undefined,
        requests: requestNamesOf(spec.devices),
      });
    },
    strategy: {
      initialStatus: {},
      statusKeeps: ["metadata"],
      prepareStatus: dropDeallocated,
      deleteReturnsObject: true,
    },
    columns: [
      nameColumn,
      {
        name: "State",
        type: "string",
        description: "A summary of the current state (allocated, pending, reserved, etc.).",
        cell: claimState,
      },
      ageColumn,
    ],
  });

export const ResourceClaim = kind(resourceClaim("v1"));
export interface ResourceClaim extends ObjectOf<typeof ResourceClaim> {}

function claimState({ metadata, status }: Pick<Claim, "metadata" | "status">): string {
  const { allocation, reservedFor = [] } = status;
  const states = metadata.deletionTimestamp ? ["deleted"] : [];
  if (allocation) states.push("allocated", ...(reservedFor.length > 0 ? ["reserved"] : []));
  else if (!metadata.deletionTimestamp) states.push("pending");
  return states.join(",");
}

/** What drivers told of devices that the claim has given back is told no longer. */
function dropDeallocated({ status }: Draft<Claim>, old: Draft<Claim>): void {
  const kept = new Set((status.allocation?.devices.results ?? []).map(deviceIdOf));
  const gone = new Set(
    (old.status.allocation?.devices.results ?? [])
      .map(deviceIdOf)
      .filter((device) => !kept.has(device)),
  );
  const devices = (status.devices ?? []).filter((device) => !gone.has(deviceIdOf(device)));
  if (devices.length > 0) status.devices = devices;
  else delete status.devices;
}
