import { int32, list, named, string } from "../../../../schema/language/field.ts";
import type { At } from "../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { isValidIpForLegacyField, parseIpSloppy } from "../../../../schema/values/ip.ts";
import { isDns1123Subdomain } from "../../../../schema/values/names.ts";

export const PortStatus = struct("io.k8s.api.core.v1.PortStatus", {
  port: int32(1).always().expected().doc("The port of the service."),
  protocol: named(2, "v1.Protocol")
    .always()
    .expected()
    .known("TCP", "UDP", "SCTP")
    .doc("The protocol of that port."),
  error: string(3).pointer().doc("What is wrong with the port, if anything is."),
}).doc("The state of one port of a load balancer.");
export interface PortStatus extends Infer<typeof PortStatus> {}

export const LoadBalancerIngress = struct("io.k8s.api.core.v1.LoadBalancerIngress", {
  ip: string(1).doc("Address of the entry, where it has one."),
  hostname: string(2).doc("Name of the entry, where it has one."),
  ipMode: named(3, "v1.LoadBalancerIPMode")
    .pointer()
    .known("VIP", "Proxy")
    .doc("Whether packets arrive with that address, or with a node's."),
  ports: list(4, PortStatus).atomic().doc("The state of each port."),
}).doc("One entry to a load balancer.");
export interface LoadBalancerIngress extends Infer<typeof LoadBalancerIngress> {}

export const LoadBalancerStatus = struct("io.k8s.api.core.v1.LoadBalancerStatus", {
  ingress: list(1, LoadBalancerIngress).atomic().doc("Where traffic can be sent to."),
}).doc("The state of a load balancer.");
export interface LoadBalancerStatus extends Infer<typeof LoadBalancerStatus> {}

/** The rules of the state of a load balancer; addresses that were there before stay valid. */
export function validateLoadBalancerStatus(
  status: LoadBalancerStatus,
  at: At,
  { serviceType, old }: { readonly serviceType: string; readonly old: LoadBalancerStatus },
): void {
  const here = at.child("ingress");
  const entries = status.ingress ?? [];
  if (serviceType !== "LoadBalancer" && entries.length > 0) {
    here.forbidden("", "may only be used when `spec.type` is 'LoadBalancer'");
    return;
  }
  const validOld = (old.ingress ?? []).flatMap(({ ip }) => (ip ? [ip] : []));
  for (const [i, entry] of entries.entries()) validateEntry(entry, here.index(i), validOld);
}

function validateEntry(entry: LoadBalancerIngress, at: At, validOld: readonly string[]): void {
  const { ip, ipMode, hostname } = entry;
  if (ip) at.invalidEach("ip", ip, isValidIpForLegacyField(ip, { strict: true, validOld }));
  if (ipMode === undefined) {
    if (ip) at.required("ipMode", "must be specified when `ip` is set");
  } else if (!ip) at.forbidden("ipMode", "may not be specified when `ip` is not set");
  else if (!["Proxy", "VIP"].includes(ipMode)) at.notSupported("ipMode", ipMode, ["Proxy", "VIP"]);
  if (!hostname) return;
  at.invalidEach("hostname", hostname, isDns1123Subdomain(hostname));
  if (parseIpSloppy(hostname))
    at.invalid("hostname", hostname, "must be a DNS name, not an IP address");
}
