import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import { isDns1123Label, isDns1123Subdomain } from "../../../schema/values/names.ts";
import { quote } from "../../../schema/values/quote.ts";

/** The name of a pod in its network, and the domain of that name; empty if it has none. */
export interface PodHostname {
  readonly hostname: string;
  readonly domain: string;
}

/** Decides the host name of a pod. Throws if the pod has an invalid one. */
export function podHostname({ metadata, spec }: Pod, clusterDomain: string): PodHostname {
  const { name = "", namespace = "" } = metadata;
  const { hostname, subdomain, hostnameOverride } = spec;
  if (hostnameOverride !== undefined) {
    check("HostnameOverride", "subdomain", hostnameOverride, isDns1123Subdomain(hostnameOverride));
    return { hostname: shortened(name, hostnameOverride), domain: "" };
  }
  if (hostname) check("Hostname", "label", hostname, isDns1123Label(hostname));
  if (subdomain) check("Subdomain", "label", subdomain, isDns1123Label(subdomain));
  return {
    hostname: shortened(name, hostname || name),
    domain: subdomain ? `${subdomain}.${namespace}.svc.${clusterDomain}` : "",
  };
}

/** The name that the kernel of a pod reports. Throws if a fully qualified one is too long for it. */
export function kernelHostname({ hostname, domain }: PodHostname, { spec }: Pod): string {
  if (domain === "" || !spec.setHostnameAsFQDN) return hostname;
  const fqdn = `${hostname}.${domain}`;
  if (fqdn.length <= maxFqdn) return fqdn;
  throw new Error(
    `failed to construct FQDN from pod hostname and cluster domain, FQDN ${fqdn} is too long (${maxFqdn} characters is the max, ${fqdn.length} characters requested)`,
  );
}

/** The kernel has 64 bytes for it. */
const maxFqdn = 64;
const maxHostname = 63;

function check(
  field: string,
  kind: "label" | "subdomain",
  value: string,
  problems: readonly string[],
): void {
  if (problems.length === 0) return;
  throw new Error(`pod ${field} ${quote(value)} is not a valid DNS ${kind}: ${problems.join(";")}`);
}

function shortened(podName: string, hostname: string): string {
  if (hostname.length <= maxHostname) return hostname;
  const kept = hostname.slice(0, maxHostname).replace(/[-.]+$/, "");
  if (kept !== "") return kept;
  throw new Error(`hostname for pod ${quote(podName)} was invalid: ${quote(hostname)}`);
}
