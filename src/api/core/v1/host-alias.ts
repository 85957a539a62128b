import { string, strings } from "../../../schema/field.ts";
import { isValidIpForLegacyField } from "../../../schema/ip.ts";
import { isDns1123Subdomain } from "../../../schema/names.ts";
import type { At } from "../../../schema/report.ts";
import { type Infer, struct } from "../../../schema/struct.ts";

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
