import { isIPv6 } from "node:net";
import { mustRun, runChild } from "../../../platform/run-child.ts";

/** The interface that has the addresses of the cluster's DNS on each node. */
const dnsInterface = "wherry-dns";

/**
 * Gives this network namespace addresses, on an interface without a wire, and takes others away from it. What is there
 * already stays: an agent that starts again finds the addresses in use.
 */
export async function ensureOwnAddresses(addresses: readonly string[]): Promise<void> {
  const present = await presentAddresses();
  if (!present) await addInterface();
  const changes = addressChanges(present ?? [], addresses);
  const input = [...changes, `link set ${dnsInterface} up`].join("\n");
  await mustRun("ip", ["-batch", "-"], { input: `${input}\n` });
}

/** The commands of `ip` that turn the addresses of the interface into those wanted. */
export function addressChanges(
  present: readonly string[],
  wanted: readonly string[],
): readonly string[] {
  const withLength = (address: string): string => `${address}/${isIPv6(address) ? 128 : 32}`;
  return [
    ...present
      .filter((address) => !wanted.includes(address))
      .map((address) => `addr del ${withLength(address)} dev ${dnsInterface}`),
    ...wanted
      .filter((address) => !present.includes(address))
      .map(
        (address) =>
          `addr replace ${withLength(address)} dev ${dnsInterface}${isIPv6(address) ? " nodad" : ""}`,
      ),
  ];
}

/** Removes the interface with its addresses. */
export async function removeOwnAddresses(): Promise<void> {
  if (await presentAddresses()) await mustRun("ip", ["link", "del", dnsInterface]);
}

/** The addresses of the interface; undefined if it does not exist. */
async function presentAddresses(): Promise<readonly string[] | undefined> {
  const { code, stdout } = await runChild("ip", ["-json", "addr", "show", "dev", dnsInterface]);
  if (code !== 0) return undefined;
  const links = JSON.parse(stdout) as readonly {
    readonly addr_info?: readonly { readonly local: string; readonly scope: string }[];
  }[];
  const found = links.flatMap(({ addr_info: infos = [] }) => infos);
  return found.filter(({ scope }) => scope !== "link").map(({ local }) => local);
}

/** A bridge without ports has addresses like a dummy interface, which not every kernel has. */
async function addInterface(): Promise<void> {
  const { code } = await runChild("ip", ["link", "add", dnsInterface, "type", "dummy"]);
  if (code !== 0) await mustRun("ip", ["link", "add", dnsInterface, "type", "bridge"]);
}
