import type { Service } from "../../api/core/v1/service/service.ts";
import { headless } from "../../api/core/v1/service/service-spec.ts";
import type { IPAddress } from "../../api/networking/v1/ip-address.ts";
import { formatIp, type Ip } from "../../schema/values/ip.ts";
import { millisOf, parseTime } from "../../schema/values/time.ts";
import { ipOf } from "./cluster-ips.ts";
import { allocatorName, familyLabel, familyOfName, managedBy } from "./ip-address-maker.ts";
import type { Finding } from "./repair-events.ts";

/** The existing services and IPAddresses. */
export interface World {
  isInRange(ip: Ip): boolean;
  ipAddress(name: string): IPAddress | undefined;
  service(namespace: string, name: string): Service | undefined;
}

/** A problem with one address of a service, and the repair of its IPAddress. */
export interface ClusterIpFault {
  readonly finding?: Finding;
  readonly repair?: { readonly address: string; readonly how: "create" | "recreate" };
}

/** A problem with an IPAddress: it is deleted, or checked again later. */
export type IpAddressFault =
  | { readonly type: "remove"; readonly finding: Finding }
  | { readonly type: "check again"; readonly afterMs: number };

/** Checks that each address of a service is in range and has an IPAddress that refers to the service. */
export function checkService(service: Service, world: World): ClusterIpFault[] {
  const { clusterIP = "", clusterIPs = [] } = service.spec;
  if (clusterIP === "" || clusterIP === headless) return [];
  return clusterIPs.flatMap((text) => checkClusterIp(service, text, world) ?? []);
}

function checkClusterIp(service: Service, text: string, world: World): ClusterIpFault | undefined {
  const ip = ipOf(text);
  // Upstream's message for a service without a valid address.
  if (!ip)
    return {
      finding: {
        reason: "ClusterIPNotValid",
        action: "ClusterIPValidation",
        note: "Cluster IP <nil> is not a valid IP; please recreate Service",
      },
    };
  const address = formatIp(ip);
  const family = ip.version === 4 ? "IPv4" : "IPv6";
  const report = (reason: string, note: string): Finding => ({
    reason,
    action: "ClusterIPAllocation",
    note,
  });
  if (!world.isInRange(ip))
    return {
      finding: report(
        "ClusterIPOutOfRange",
        `Cluster IP [${family}]: ${address} is not within any configured Service CIDR; please recreate service`,
      ),
    };
  const object = world.ipAddress(address);
  if (!object)
    return {
      finding: report(
        "ClusterIPNotAllocated",
        `Cluster IP [${family}]: ${address} is not allocated; repairing`,
      ),
      repair: { address, how: "create" },
    };
  const { namespace = "", name = "" } = service.metadata;
  const parent = object.spec.parentRef;
  const other = isService(parent)
    ? world.service(parent?.namespace ?? "", parent?.name ?? "")
    : undefined;
  const isOwn = isService(parent) && parent?.namespace === namespace && parent.name === name;
  if (!isOwn && !other)
    return {
      finding: report(
        "ClusterIPNotAllocated",
        `the ClusterIP [${family}]: ${address} for Service ${namespace}/${name} has a wrong reference; repairing`,
      ),
      repair: { address, how: "recreate" },
    };
  const isShared = !isOwn && (other?.spec.clusterIPs ?? []).includes(address);
  const shared = `Cluster IP [${family}]:${address} was assigned to multiple services; please recreate service`;
  const finding = isShared && { finding: report("ClusterIPAlreadyAllocated", shared) };
  const repair = !hasLabels(object) && { repair: { address, how: "recreate" } as const };
  return finding || repair ? { ...finding, ...repair } : undefined;
}

/** How long after its IPAddress a service may be created. */
const graceMs = 60_000;
const shortGraceMs = 5_000;

/** Checks that an IPAddress of the allocator belongs to a service. IPAddresses of others are ignored. */
export function checkIpAddress(
  object: IPAddress,
  world: World,
  now: number,
): IpAddressFault | undefined {
  if (object.metadata.labels?.[managedBy] !== allocatorName) return undefined;
  const { name: address = "", creationTimestamp } = object.metadata;
  const parent = object.spec.parentRef;
  const remove = (reason: string, note: string): IpAddressFault => ({
    type: "remove",
    finding: { reason, action: "IPAddressAllocation", note },
  });
  if (!isService(parent))
    return remove(
      "IPAddressNotAllocated",
      `IPAddress ${address} appears to have been modified, not referencing a Service ${shownParent(parent)}: cleaning up`,
    );
  const { namespace = "", name = "" } = parent ?? {};
  const created = creationTimestamp ? millisOf(parseTime(creationTimestamp)) : 0;
  const age = now - created;
  const service = world.service(namespace, name);
  if (!service)
    return age > graceMs
      ? remove(
          "IPAddressNotAllocated",
          `IPAddress: ${address} for Service ${namespace}/${name} appears to have leaked: cleaning up`,
        )
      : { type: "check again", afterMs: graceMs - age + 1 };
  if ((service.spec.clusterIPs ?? []).includes(address)) return undefined;
  // The IPAddress of a service that changes its type is stored before the service has its address.
  if (service.spec.type === "ExternalName" && age < graceMs)
    return { type: "check again", afterMs: graceMs - age };
  const { creationTimestamp: since } = service.metadata;
  if (since && created > millisOf(parseTime(since)) && age < shortGraceMs)
    return { type: "check again", afterMs: shortGraceMs };
  return remove(
    "IPAddressWrongReference",
    `IPAddress: ${address} for Service ${namespace}/${name} has a wrong reference; cleaning up`,
  );
}

type ParentRef = IPAddress["spec"]["parentRef"] | undefined;

const isService = (parent: ParentRef): boolean =>
  (parent?.group ?? "") === "" && parent?.resource === "services";

/** A reference as Go prints it. */
const shownParent = (parent: ParentRef): string =>
  parent
    ? `&ParentReference{Group:${parent.group ?? ""},Resource:${parent.resource ?? ""},Namespace:${parent.namespace ?? ""},Name:${parent.name ?? ""},}`
    : "nil";

function hasLabels({ metadata: { name = "", labels = {} } }: IPAddress): boolean {
  return labels[familyLabel] === familyOfName(name) && labels[managedBy] === allocatorName;
}
