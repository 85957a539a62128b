import { lookup } from "node:dns/promises";
import { isIP, isIPv4 } from "node:net";
import { networkInterfaces } from "node:os";
import { errorMessage } from "../../../base/error-message.ts";
import { hostAddress } from "../../../platform/host-address.ts";
import { nodeIPProblem } from "./node-ip-problem.ts";

export interface NodeAddressesOptions {
  readonly nodeName: string;
  /** The configured addresses, of which `0.0.0.0` and `::` choose a family; empty to find one. */
  readonly nodeIPs: readonly string[];
}

/** The addresses of the machine, the preferred one first. Rejects if an address is not the machine's, or if it has none. */
export async function nodeAddresses(options: NodeAddressesOptions): Promise<readonly string[]> {
  const { nodeName, nodeIPs } = options;
  const own = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .map(({ address }) => address);
  const specified = nodeIPs.slice(0, 2).filter((address) => !isUnspecified(address));
  for (const address of specified) {
    const problem = nodeIPProblem(address, own);
    const which = address === nodeIPs[0] ? "nodeIP" : "secondaryNodeIP";
    if (problem !== undefined) throw new Error(`failed to validate ${which}: ${problem}`);
  }
  if (specified.length === 2) return specified;
  const [first] = nodeIPs;
  if (first !== undefined && !isUnspecified(first)) return [first];
  return [await findAddress(nodeName, own, first !== undefined && !isIPv4(first))];
}

const isUnspecified = (address: string): boolean => address === "0.0.0.0" || address === "::";

/** The node's name if it is an address, else an address that the name resolves to, else that of the default route. */
async function findAddress(
  nodeName: string,
  own: readonly string[],
  prefersIPv6: boolean,
): Promise<string> {
  if (isIP(nodeName) !== 0) return nodeName;
  let failure: unknown;
  const resolved = await lookup(nodeName, { all: true }).catch((error: unknown) => {
    failure = error;
    return [];
  });
  const valid = resolved.filter(({ address }) => nodeIPProblem(address, own) === undefined);
  const preferred = valid.find(({ family }) => (family === 6) === prefersIPv6) ?? valid[0];
  const found = preferred?.address ?? hostAddress(prefersIPv6 ? "IPv6" : "IPv4");
  if (found !== undefined) return found;
  throw new Error(`can't get ip address of node ${nodeName}. error: ${errorMessage(failure)}`);
}
