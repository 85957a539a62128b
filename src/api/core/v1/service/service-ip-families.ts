import type { At } from "../../../../schema/language/report.ts";
import { sameValue } from "../../../../schema/language/validate.ts";
import { otherFamily } from "./service-allocation.ts";
import { familyOf, type IpFamily, validateClusterIps } from "./service-cluster-ips.ts";
import { headless, type ServiceBody, type ServiceDraft } from "./service-spec.ts";

/**
 * Decides on the families of a service's addresses before these are allocated: `families` are those
 * that the cluster has, the first of them its default. Reports what cannot be; the service is
 * complete only if nothing was reported.
 */
export function initIpFamilies(
  service: ServiceDraft,
  at: At,
  {
    old,
    families,
  }: { readonly old: ServiceBody | undefined; readonly families: readonly IpFamily[] },
): void {
  const { spec } = service;
  if (spec.type === "ExternalName" || (old && keepsPreferDualStack(service, old))) return;
  spec.ipFamilyPolicy ??= old?.spec.ipFamilyPolicy ?? inferredPolicy(service);
  const reported = at.errors.length;
  const failed = () => at.errors.length > reported;
  validateClusterIps(service, old, at);
  if (failed()) return;
  const here = at.child("spec");
  if (old) releaseSecondary(service, old, here);
  if (spec.ipFamilyPolicy === "SingleStack") onlyOne(service, here);
  inferFamilies(service, families, here);
  if (failed()) return;
  // Whatever the endpoints of one without a selector are, of whichever family, is none of the cluster's business.
  const isAnybodys = isHeadlessWithoutSelector(service);
  if (!isAnybodys) configured(service, families, here);
  if (failed()) return;
  const primary = spec.ipFamilies?.[0] ?? families[0] ?? "IPv4";
  if (!spec.ipFamilies?.length) spec.ipFamilies = [primary];
  const hasTwo = spec.ipFamilyPolicy !== "SingleStack" && (isAnybodys || families.length === 2);
  if (hasTwo && spec.ipFamilies.length === 1) spec.ipFamilies.push(otherFamily(primary));
}

const isHeadlessWithoutSelector = ({ spec }: ServiceDraft): boolean =>
  spec.clusterIP === headless && Object.keys(spec.selector ?? {}).length === 0;

/** A service that prefers two families is not changed because the cluster was. */
function keepsPreferDualStack({ spec }: ServiceDraft, { spec: before }: ServiceBody): boolean {
  return (
    spec.type === before.type &&
    ["ClusterIP", "NodePort", "LoadBalancer"].includes(spec.type ?? "") &&
    spec.ipFamilyPolicy === "PreferDualStack" &&
    (before.ipFamilyPolicy ?? "PreferDualStack") === "PreferDualStack" &&
    sameValue(spec.clusterIPs, before.clusterIPs) &&
    sameValue(spec.ipFamilies, before.ipFamilies)
  );
}

const inferredPolicy = (service: ServiceDraft): string =>
  isHeadlessWithoutSelector(service) ? "RequireDualStack" : "SingleStack";

function releaseSecondary({ spec }: ServiceDraft, { spec: before }: ServiceBody, at: At): void {
  const { clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  if (ipFamilyPolicy === "SingleStack") {
    if (clusterIPs.length > 1 && sameValue(clusterIPs, before.clusterIPs))
      spec.clusterIPs = clusterIPs.slice(0, 1);
    if (ipFamilies.length > 1 && sameValue(ipFamilies, before.ipFamilies))
      spec.ipFamilies = ipFamilies.slice(0, 1);
    return;
  }
  const release = (what: string) =>
    at.invalid(
      "ipFamilyPolicy",
      ipFamilyPolicy,
      `must be 'SingleStack' to release the secondary ${what}`,
    );
  if (clusterIPs.length > 0 && clusterIPs.length < (before.clusterIPs ?? []).length)
    release("cluster IP");
  if (ipFamilies.length > 0 && ipFamilies.length < (before.ipFamilies ?? []).length)
    release("IP family");
}

function onlyOne({ spec }: ServiceDraft, at: At): void {
  const refuse = (what: string) =>
    at.invalid(
      "ipFamilyPolicy",
      spec.ipFamilyPolicy,
      `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
    );
  if (spec.clusterIPs?.length === 2) refuse("cluster IPs");
  if (spec.ipFamilies?.length === 2) refuse("IP families");
}

/** The families that the given addresses say. */
function inferFamilies({ spec }: ServiceDraft, families: readonly IpFamily[], at: At): void {
  const { clusterIPs = [] } = spec;
  for (const [i, ip] of clusterIPs.entries()) {
    if (ip === headless) return;
    if (i < (spec.ipFamilies ?? []).length) continue;
    const family = familyOf(ip);
    if (family && families.includes(family)) spec.ipFamilies = [...(spec.ipFamilies ?? []), family];
    else
      at.child("clusterIPs")
        .index(i)
        .invalid("", clusterIPs, `${family ?? "unknown"} is not configured on this cluster`);
  }
}

function configured({ spec }: ServiceDraft, families: readonly string[], at: At): void {
  if (spec.ipFamilyPolicy === "RequireDualStack" && families.length < 2)
    at.invalid(
      "ipFamilyPolicy",
      spec.ipFamilyPolicy,
      "this cluster is not configured for dual-stack services",
    );
  for (const [i, family] of (spec.ipFamilies ?? []).entries())
    if (!families.includes(family))
      at.child("ipFamilies").index(i).invalid("", family, "not configured on this cluster");
}
