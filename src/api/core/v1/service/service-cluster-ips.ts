import type { At } from "../../../../schema/language/report.ts";
import { isValidIpForLegacyField, parseIpSloppy, unmap } from "../../../../schema/values/ip.ts";
import { headless, isHeadless, type ServiceBody, type ServiceSpec } from "./service-spec.ts";

export type IpFamily = "IPv4" | "IPv6";
const families: readonly string[] = ["IPv4", "IPv6"];
const familyPolicies = ["PreferDualStack", "RequireDualStack", "SingleStack"];

/** The family of an address; undefined where it is none. */
export function familyOf(text: string): IpFamily | undefined {
  const ip = parseIpSloppy(text);
  return ip && (unmap(ip).version === 4 ? "IPv4" : "IPv6");
}

/** The rules of clusterIP, clusterIPs, ipFamilies and ipFamilyPolicy, which belong together. */
export function validateClusterIps(
  service: Pick<ServiceBody, "spec">,
  old: Pick<ServiceBody, "spec"> | undefined,
  at: At,
): void {
  const { spec } = service;
  // For this type other rules say that all of them must be unset.
  if (spec.type === "ExternalName") return;
  const here = at.child("spec");
  const { clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  singularAndPlural(spec, here);
  const seen = new Set<string>();
  for (const [i, family] of ipFamilies.entries()) {
    const place = here.child("ipFamilies").index(i);
    if (!families.includes(family)) place.notSupported("", family, families);
    if (seen.has(family)) place.duplicate("", family);
    seen.add(family);
  }
  if (ipFamilyPolicy !== undefined && !familyPolicies.includes(ipFamilyPolicy))
    here.notSupported("ipFamilyPolicy", ipFamilyPolicy, familyPolicies);

  const valid = addresses(clusterIPs, old?.spec.clusterIPs ?? [], here);
  if (clusterIPs.length > 2) here.invalid("clusterIPs", clusterIPs, "may only hold up to 2 values");
  // What follows would only be confused by addresses that are none.
  if (!valid) return;
  if (clusterIPs.length > 1 && new Set(clusterIPs.map(familyOf)).size < 2)
    here.invalid("clusterIPs", clusterIPs, "may specify no more than one IP for each IP family");
  if (!isHeadless(service)) matchFamilies(clusterIPs, ipFamilies, here.child("clusterIPs"));
}

function singularAndPlural({ clusterIP = "", clusterIPs = [] }: ServiceSpec, at: At): void {
  if (clusterIP === "") {
    if (clusterIPs.length > 0)
      at.invalid("clusterIPs", clusterIPs, "must be empty when `clusterIP` is not specified");
  } else if (clusterIPs.length === 0) at.required("clusterIPs");
  else if (clusterIPs[0] !== clusterIP)
    at.invalid("clusterIPs", clusterIPs, "first value must match `clusterIP`");
}

function addresses(ips: readonly string[], validOld: readonly string[], at: At): boolean {
  let valid = true;
  for (const [i, ip] of ips.entries()) {
    if (i === 0 && ip === headless) {
      if (ips.length === 1) continue;
      valid = false;
      at.invalid("clusterIPs", ips, "'None' must be the first and only value");
      continue;
    }
    const messages = isValidIpForLegacyField(ip, { strict: true, validOld });
    if (messages.length > 0) valid = false;
    at.child("clusterIPs").index(i).invalidEach("", ip, messages);
  }
  return valid;
}

function matchFamilies(ips: readonly string[], wanted: readonly string[], at: At): void {
  for (const [i, ip] of ips.entries()) {
    const family = wanted[i];
    if (family === undefined) return;
    if (families.includes(family) && familyOf(ip) !== family)
      at.index(i).invalid(
        "",
        ip,
        `expected an ${family} value as indicated by \`ipFamilies[${i}]\``,
      );
  }
}
