import { list, strings, value } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { struct } from "../../../schema/language/struct.ts";
import { isValidCidr, masked, parseCidrSloppy, unmap } from "../../../schema/values/ip.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { ageColumn, nameColumn } from "../../meta/v1/columns.ts";
import { Condition } from "../../meta/v1/condition.ts";
import { kind, type ObjectOf, type ObjectValue, type UpdateCheck } from "../../meta/v1/kind.ts";

/** All versions of the kind, which are equal. */
export function serviceCidrIn(version: string) {
  return {
    group: "networking.k8s.io",
    version,
    kind: "ServiceCIDR",
    plural: "servicecidrs",
    scope: "Cluster",
    doc: "A range from which services get their addresses.",
    name: nameIsDnsSubdomain,
    fields: fieldsOf(version),
    subresources: ["status"],
    rules: [({ spec }: Body, at: At) => validateCidrs(spec.cidrs ?? [], at)],
    updateRules: ({ spec }: Body, old: Body, { at }: UpdateCheck) =>
      validateChange(spec.cidrs, old.spec.cidrs ?? [], at),
    strategy: {
      initialStatus: {},
      statusKeeps: ["metadata"],
    },
    columns: [
      nameColumn,
      {
        name: "CIDRs",
        type: "string",
        description:
          'CIDRs defines the IP blocks in CIDR notation (e.g. "192.168.0.0/24" or "2001:db8::/64") from which to assign service cluster IPs. Max of two CIDRs is allowed, one of each IP family. This field is immutable.',
        cell: ({ spec }: Body) => (spec.cidrs ?? []).join(","),
      },
      ageColumn,
    ],
  } as const;
}

export const ServiceCIDR = kind(serviceCidrIn("v1"));
export interface ServiceCIDR extends ObjectOf<typeof ServiceCIDR> {}

function fieldsOf(version: string) {
  const ServiceCIDRSpec = struct(`io.k8s.api.networking.${version}.ServiceCIDRSpec`, {
    cidrs: strings(1)
      .atomic()
      .doc("The range, or one of each IP family. Only the second can come."),
  }).doc("A range of addresses.");
  const ServiceCIDRStatus = struct(`io.k8s.api.networking.${version}.ServiceCIDRStatus`, {
    conditions: list(1, Condition).keyedBy("type").doc("The state of the range."),
  }).doc("What is known of a range of addresses.");
  return {
    spec: value(2, ServiceCIDRSpec).doc("The range."),
    status: value(3, ServiceCIDRStatus).doc("What is known of it."),
  };
}
type Body = ObjectValue<ReturnType<typeof fieldsOf>>;

function validateCidrs(cidrs: readonly string[], at: At): void {
  const here = at.child("spec").child("cidrs");
  if (cidrs.length === 0) here.required("", "at least one CIDR required");
  else if (cidrs.length > 2) here.invalid("", { CIDRs: cidrs }, "may only hold up to 2 values");
  else {
    for (const [i, cidr] of cidrs.entries()) here.index(i).invalidEach("", cidr, isValidCidr(cidr));
    const families = cidrs.map(familyOf);
    if (cidrs.length === 2 && families[0] !== undefined && families[0] === families[1])
      here.invalid(
        "",
        cidrs,
        "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64",
      );
  }
}

function familyOf(text: string): 4 | 6 | undefined {
  const cidr = parseCidrSloppy(text);
  return cidr && unmap(masked(cidr).ip).version;
}

/** A range stays as it is; one of the other family may be added to it. */
function validateChange(
  given: readonly string[] | undefined,
  old: readonly string[],
  at: At,
): void {
  const cidrs = given ?? [];
  const here = at.child("spec").child("cidrs");
  const immutable = (i: number) => here.index(i).invalid("", cidrs[i], "field is immutable");
  if (cidrs.length === old.length) {
    for (const [i, cidr] of old.entries()) if (cidr !== cidrs[i]) immutable(i);
  } else if (old.length === 1 && cidrs.length === 2) {
    if (cidrs[0] !== old[0]) immutable(0);
    validateCidrs(cidrs, at);
  } else here.invalid("", given ?? null, "field is immutable");
}
