import type { Service } from "../../api/core/v1/service/service.ts";
import { headless } from "../../api/core/v1/service/service-spec.ts";
import type { IPAddress } from "../../api/networking/v1/ip-address.ts";
import { formatIp, type Ip } from "../../schema/values/ip.ts";
import { millisOf, parseTime } from "../../schema/values/time.ts";
import { ipOf } from "./cluster-ips.ts";
import { allocatorName, familyLabel, familyOfName, managedBy } from "./ip-address-maker.ts";
import type { Finding } from "./repair-events.ts";

/** What services and addresses there are. */
export interface World {
  isInRange(ip: Ip): boolean;
  ipAddress(name: string): IPAddress | undefined;
  service(namespace: string, name: string): Service | undefined;
}

/** What is wrong with one address of a service, and how its IPAddress comes to be as it should. */
export interface ClusterIpFault {
  readonly finding?: Finding;
  readonly repair?: { readonly address: string; readonly how: "create" | "recreate" };
}

/** What becomes of an IPAddress: it goes, or is looked at again. */
export type IpAddressFault =
  | { readonly type: "remove"; readonly finding: Finding }
  | { readonly type: "look again"; readonly afterMs: number };

/** Checks that each address of a service is in range and has an IPAddress that says whose it is. */
export function checkService(service: Service, world: World): ClusterIpFault[] {
  const { clusterIP = "", clusterIPs = [] } = service.spec;
  if (clusterIP === "" || clusterIP === headless) return [];
  return clusterIPs.flatMap((text) => checkClusterIp(service, text, world) ?? []);
}

function checkClusterIp(service: Service, text: string, world: World): ClusterIpFault | undefined {
  const ip = ipOf(text);
  // There is no address to tell of: upstream tells of none in these words.
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
  const tell = (reason: string, note: string): Finding => ({
    reason,
    action: "ClusterIPAllocation",
    note,
  });
  if (!world.isInRange(ip))
    return {
      finding: tell(
        "ClusterIPOutOfRange",
        `Cluster IP [${family}]: ${address} is not within any configured Service CIDR; please recreate service`,
      ),
    };
  const object = world.ipAddress(address);
  if (!object)
    return {
      finding: tell(
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
      finding: tell(
        "ClusterIPNotAllocated",
        `the ClusterIP [${family}]: ${address} for Service ${namespace}/${name} has a wrong reference; repairing`,
      ),
      repair: { address, how: "recreate" },
    };
  const isShared = !isOwn && (other?.spec.clusterIPs ?? []).includes(address);
  const shared = `Cluster IP [${family}]:${address} was assigned to multiple services; please recreate service`;
  const finding = isShared && { finding: tell("ClusterIPAlreadyAllocated", shared) };
  const repair = !hasLabels(object) && { repair: { address, how: "recreate" } as const };
  return finding || repair ? { ...finding, ...repair } : undefined;
}

/** How long a service may be in coming after its address. */
const graceMs = 60_000;
const shortGraceMs = 5_000;

/** Checks that an IPAddress of the allocator's is that of a service; others are not its business. */
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
      : { type: "look again", afterMs: graceMs - age + 1 };
  if ((service.spec.clusterIPs ?? []).includes(address)) return undefined;
  // A service that comes to have addresses gets them before it says so.
  if (service.spec.type === "ExternalName" && age < graceMs)
    return { type: "look again", afterMs: graceMs - age };
  const { creationTimestamp: since } = service.metadata;
  if (since && created > millisOf(parseTime(since)) && age < shortGraceMs)
    return { type: "look again", afterMs: shortGraceMs };
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
