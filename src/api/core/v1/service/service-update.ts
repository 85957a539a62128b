import type { At } from "../../../../schema/language/report.ts";
import { isHeadless, needsHealthCheck, type ServiceBody } from "./service-spec.ts";
import { validateLoadBalancerClass, validateService } from "./service-validation.ts";

/** The rules of an update: addresses and families may be added and released, but not exchanged. */
export function validateServiceUpdate(service: ServiceBody, old: ServiceBody, at: At): void {
  const here = at.child("spec");
  if (service.spec.type !== "ExternalName" && old.spec.type !== "ExternalName") {
    clusterIps(service, old, here);
    ipFamilies(service, old, here);
  }
  loadBalancerClass(service, old, here);
  if (
    needsHealthCheck(old) &&
    needsHealthCheck(service) &&
    (service.spec.healthCheckNodePort ?? 0) !== (old.spec.healthCheckNodePort ?? 0)
  )
    here.forbidden("healthCheckNodePort", "field is immutable");
  validateService(service, old, at);
}

function clusterIps(service: ServiceBody, old: ServiceBody, at: At): void {
  if (isHeadless(service) && isHeadless(old)) return;
  const { clusterIPs: now = [], ipFamilyPolicy } = service.spec;
  const { clusterIPs: before = [] } = old.spec;
  const place = (i: number) => at.child("clusterIPs").index(i);
  if (before.length === now.length) {
    for (const [i, ip] of before.entries())
      if (ip !== now[i]) place(i).invalid("", now, "may not change once set");
    return;
  }
  if (now.length === 0) place(0).invalid("", undefined, "primary clusterIP can not be unset");
  else if (before.length > 0 && now[0] !== before[0])
    place(0).invalid("", now, "may not change once set");
  if (now.length < before.length && now.length === 1 && ipFamilyPolicy !== "SingleStack")
    at.invalid(
      "ipFamilyPolicy",
      ipFamilyPolicy,
      "must be set to 'SingleStack' when releasing the secondary clusterIP",
    );
}

function ipFamilies(service: ServiceBody, old: ServiceBody, at: At): void {
  if (isHeadless(service) || isHeadless(old)) return;
  const { ipFamilies: now = [], clusterIPs, ipFamilyPolicy } = service.spec;
  const { ipFamilies: before = [] } = old.spec;
  const place = at.child("ipFamilies").index(0);
  if (before.length === now.length) {
    for (const [i, family] of before.entries())
      if (family !== now[i]) place.invalid("", now, "may not change once set");
    return;
  }
  const released = now.length < before.length;
  if (released && (clusterIPs ?? []).length === 0)
    place.invalid("", service.spec.ipFamilies, "primary ipFamily can not be unset");
  if (before.length > 0 && now.length > 0 && now[0] !== before[0])
    place.invalid("", clusterIPs, "may not change once set");
  if (released && now.length === 1 && ipFamilyPolicy !== "SingleStack")
    at.invalid(
      "ipFamilyPolicy",
      ipFamilyPolicy,
      "must be set to 'SingleStack' when releasing the secondary ipFamily",
    );
}

function loadBalancerClass({ spec }: ServiceBody, old: ServiceBody, at: At): void {
  const both = spec.type === "LoadBalancer" && old.spec.type === "LoadBalancer";
  if (both && spec.loadBalancerClass !== old.spec.loadBalancerClass)
    at.invalid("loadBalancerClass", spec.loadBalancerClass, "may not change once set");
  validateLoadBalancerClass(spec, at);
}
