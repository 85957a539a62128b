import { parseAddress, parseSubnet } from "../../engine/network/ipv4.ts";
import type { ProcessIdentity } from "../../platform/process-identity.ts";
import { mustRun } from "../../platform/run-child.ts";
import type { BoxIpv6 } from "./ipv6-ranges.ts";

/** The addresses of a box. */
export interface BoxAddresses {
  readonly address: string;
  /** The machine's address, the same for all boxes of a cluster. */
  readonly gateway: string;
  /** The range of its pods, if it is known. */
  readonly podCidr?: string | undefined;
  /** Its addresses of the other family, if it has both. */
  readonly ipv6?: BoxIpv6 | undefined;
}

/** Throws if these are not addresses of IPv4. */
export function checkAddresses({ address, gateway, podCidr }: BoxAddresses): void {
  for (const one of [address, gateway])
    if (parseAddress(one) === undefined) throw new Error(`${one} is not an IPv4 address`);
  if (podCidr !== undefined && !parseSubnet(podCidr))
    throw new Error(`${podCidr} is not a range of IPv4 addresses`);
}

/**
 * The commands of `ip` in a new box: its interface is one end of a pair, the other is the machine's. They have no
 * subnet: each end has one address, and knows the other.
 */
export const insideCommands = (
  { address, gateway, ipv6 }: BoxAddresses,
  link: string,
  machine: string,
): readonly string[] => [
  "link set lo up",
  `link add eth0 type veth peer name ${link} netns ${machine}`,
  `addr add ${address}/32 peer ${gateway} dev eth0`,
  "link set eth0 up",
  `route add default via ${gateway} dev eth0`,
  ...(ipv6
    ? [
        `addr add ${ipv6.address}/128 dev eth0 nodad`,
        `route add ${ipv6.gateway}/128 dev eth0`,
        `route add default via ${ipv6.gateway} dev eth0`,
      ]
    : []),
];

/** The commands of `ip` on the machine; they change nothing that is there already. */
export const outsideCommands = (
  { address, gateway, podCidr, ipv6 }: BoxAddresses,
  link: string,
): readonly string[] => [
  `addr replace ${gateway}/32 peer ${address} dev ${link}`,
  `link set ${link} up`,
  `route replace ${address}/32 dev ${link} src ${gateway}`,
  ...(podCidr === undefined ? [] : [`route replace ${podCidr} via ${address} dev ${link}`]),
  ...(ipv6
    ? [
        `addr replace ${ipv6.gateway}/128 dev ${link} nodad`,
        `route replace ${ipv6.address}/128 dev ${link} src ${ipv6.gateway}`,
        `route replace ${ipv6.podCidr} via ${ipv6.address} dev ${link}`,
      ]
    : []),
];

/** Gives a running box an interface, which it has lost. */
export async function connectBox(
  addresses: BoxAddresses,
  link: string,
  { pid }: ProcessIdentity,
): Promise<void> {
  const commands = insideCommands(addresses, link, `/proc/${process.pid}/ns/net`);
  const input = `${commands.join("\n")}\n`;
  await mustRun("nsenter", ["--target", String(pid), "--net", "ip", "-batch", "-"], { input });
}

/** Gives the machine its address and its routes to a box. */
export async function connectMachine(addresses: BoxAddresses, link: string): Promise<void> {
  checkAddresses(addresses);
  const input = `${outsideCommands(addresses, link).join("\n")}\n`;
  await mustRun("ip", ["-batch", "-"], { input });
}
