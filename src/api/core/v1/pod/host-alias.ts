import { string, strings } from "../../../../schema/language/field.ts";
import type { At } from "../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { isValidIpForLegacyField } from "../../../../schema/values/ip.ts";
import { isDns1123Subdomain } from "../../../../schema/values/names.ts";

export const HostAlias = struct("io.k8s.api.core.v1.HostAlias", {
  ip: string(1).always().expected().doc("The address."),
  hostnames: strings(2).atomic().doc("The names of the address."),
}).doc("A line of the pod's hosts file.");
export interface HostAlias extends Infer<typeof HostAlias> {}

/** Addresses are IP addresses, and names are DNS names. */
export function validateHostAliases(aliases: readonly HostAlias[], at: At): void {
  for (const [i, { ip, hostnames = [] }] of aliases.entries()) {
    at.index(i).invalidEach("ip", ip, isValidIpForLegacyField(ip, { strict: true }));
    for (const [j, name] of hostnames.entries())
      at.index(i).child("hostnames").index(j).invalidEach("", name, isDns1123Subdomain(name));
  }
}
