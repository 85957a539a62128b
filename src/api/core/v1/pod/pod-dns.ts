import { list, string, strings } from "../../../../schema/language/field.ts";
import type { At } from "../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { isValidIpForLegacyField } from "../../../../schema/values/ip.ts";
import { isDns1123SubdomainWithUnderscore } from "../../../../schema/values/names.ts";

export const PodDNSConfigOption = struct("io.k8s.api.core.v1.PodDNSConfigOption", {
  name: string(1).doc("The name of the option."),
  value: string(2).pointer().doc("Its value, if it has one."),
}).doc("An option of the pod's resolver.");
export interface PodDNSConfigOption extends Infer<typeof PodDNSConfigOption> {}

export const PodDNSConfig = struct("io.k8s.api.core.v1.PodDNSConfig", {
  nameservers: strings(1).atomic().doc("Addresses of name servers, after those of the policy."),
  searches: strings(2).atomic().doc("Search domains, after those of the policy."),
  options: list(3, PodDNSConfigOption).atomic().doc("Options, merged with those of the policy."),
}).doc("What is added to the resolver configuration that the DNS policy makes.");
export interface PodDNSConfig extends Infer<typeof PodDNSConfig> {}

// What resolvers of the C library can take.
const maxNameservers = 3;
const maxSearches = 32;
const maxSearchBytes = 2048;

/** The rules of a pod's resolver configuration, which the policy None cannot do without. */
export function validatePodDnsConfig(
  config: PodDNSConfig | undefined,
  policy: string,
  at: At,
): void {
  if (policy === "None") {
    if (!config) {
      at.required("", "must provide `dnsConfig` when `dnsPolicy` is None");
      return;
    }
    if (!config.nameservers?.length) {
      at.required(
        "nameservers",
        "must provide at least one DNS nameserver when `dnsPolicy` is None",
      );
      return;
    }
  }
  if (!config) return;
  const { nameservers = [], options = [] } = config;
  if (nameservers.length > maxNameservers)
    at.invalid("nameservers", nameservers, `must not have more than ${maxNameservers} nameservers`);
  for (const [i, server] of nameservers.entries())
    at.child("nameservers")
      .index(i)
      .invalidEach("", server, isValidIpForLegacyField(server, { strict: true }));
  validateSearches(config.searches ?? [], at.child("searches"));
  for (const [i, { name = "" }] of options.entries())
    if (name === "") at.child("options").index(i).required("", "must not be empty");
}

const encoder = new TextEncoder();

function validateSearches(searches: readonly string[], at: At): void {
  if (searches.length > maxSearches)
    at.invalid("", searches, `must not have more than ${maxSearches} search paths`);
  if (encoder.encode(searches.join(" ")).length > maxSearchBytes)
    at.invalid(
      "",
      searches,
      `must not have more than ${maxSearchBytes} characters (including spaces) in the search list`,
    );
  for (const [i, search] of searches.entries()) {
    if (search === ".") continue;
    const name = search.replace(/\.$/, "");
    at.index(i).invalidEach("", name, isDns1123SubdomainWithUnderscore(name));
  }
}
