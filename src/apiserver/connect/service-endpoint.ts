import type { EndpointSubset } from "../../api/core/v1/service/endpoint-subset.ts";
import type { Random } from "../../base/random.ts";

type Subset = EndpointSubset;
type Address = NonNullable<Subset["addresses"]>[number];

/** Picks a random address that has a port of this name, if the address is a pod's. */
export async function pickEndpoint(
  subsets: readonly Subset[],
  port: string,
  { random, isPod }: { readonly random: Random; isPod(address: Address): Promise<boolean> },
): Promise<{ readonly ip: string; readonly port: number } | undefined> {
  for (const { addresses = [], ports = [] } of startingAnywhere(subsets, random)) {
    for (const declared of ports) {
      if ((declared.name ?? "") !== port) continue;
      for (const address of startingAnywhere(addresses, random))
        if (await isPod(address)) return { ip: address.ip, port: declared.port };
    }
  }
  return undefined;
}

/** The same items in the same circular order, from a random one on. */
export function startingAnywhere<T>(items: readonly T[], random: Random): readonly T[] {
  const first = Math.floor(random.next() * items.length);
  return [...items.slice(first), ...items.slice(0, first)];
}
