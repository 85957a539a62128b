import { int32, microTime, named, string, value } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { isQualifiedName, nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { kind, type ObjectOf } from "../../meta/v1/kind.ts";

export const LeaseSpec = struct("io.k8s.api.coordination.v1.LeaseSpec", {
  holderIdentity: string(1).pointer().doc("Who holds the lease."),
  leaseDurationSeconds: int32(2)
    .pointer()
    .check((seconds, at) => {
      if (seconds <= 0) at.invalid("", seconds, "must be greater than 0");
    })
    .doc("Seconds after its renewal for which others leave it to the holder."),
  acquireTime: microTime(3).doc("When the holder took it."),
  renewTime: microTime(4).doc("When the holder last renewed it."),
  leaseTransitions: int32(5).pointer().min(0).doc("How often it went from one holder to another."),
  strategy: named(6, "v1.CoordinatedLeaseStrategy")
    .pointer()
    .known("OldestEmulationVersion")
    .check(validateStrategy)
    .doc("How a holder is chosen, where candidates are coordinated."),
  preferredHolder: string(7)
    .pointer()
    .check((holder, at, spec) => {
      if (holder !== "" && !(spec as { readonly strategy?: string }).strategy)
        at.forbidden("", "may only be specified if `strategy` is defined");
    })
    .doc("Who should hold it next."),
}).doc("Who holds a lease, and until when.");
export interface LeaseSpec extends Infer<typeof LeaseSpec> {}

export const Lease = kind({
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  plural: "leases",
  scope: "Namespaced",
  doc: "Something that one holder has at a time, and must renew to keep.",
  name: nameIsDnsSubdomain,
  anyFinalizer: true,
  fields: {
    spec: value(2, LeaseSpec).doc("Who holds the lease, and until when."),
  },
  strategy: {
    // Without coordinated leader election, its fields are dropped.
    prepare({ spec }, old, { features }) {
      if (features?.has("CoordinatedLeaderElection")) return;
      if (old?.spec.strategy === undefined) delete spec.strategy;
      if (old?.spec.preferredHolder === undefined) delete spec.preferredHolder;
    },
    createOnUpdate: true,
    conditionalUpdateOnly: true,
  },
  columns: [
    nameColumn,
    {
      name: "Holder",
      type: "string",
      description:
        "holderIdentity contains the identity of the holder of a current lease. If Coordinated Leader Election is used, the holder identity must be equal to the elected LeaseCandidate.metadata.name field.",
      cell: ({ spec }) => spec.holderIdentity ?? "",
    },
    ageColumn,
  ],
});
export interface Lease extends ObjectOf<typeof Lease> {}

/** The rules of how the holder of a lease is chosen. */
export function validateStrategy(strategy: string, at: At): void {
  if (strategy.includes("/")) at.invalidEach("strategy", strategy, isQualifiedName(strategy));
  else if (strategy !== "OldestEmulationVersion")
    at.notSupported("strategy", strategy, ["OldestEmulationVersion"]);
}
