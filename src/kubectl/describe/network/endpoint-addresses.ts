import type { EndpointSlice } from "../../../api/discovery/v1/endpoint-slice.ts";

const shown = 3;

/** The addresses of a service's endpoints that are ready, of the port of a name; the first three, and how many more. */
export function endpointAddresses(slices: readonly EndpointSlice[], portName: string): string {
  if (slices.length === 0) return "<none>";
  const all = slices.map((slice) => addressesOf(slice, portName));
  const found = all.flatMap((addresses) => addresses.ready);
  const text = found.slice(0, shown).join(",");
  // Endpoints that are not ready, too, show that there are more than fit.
  return hasMore(all) ? `${text} + ${found.length - shown} more...` : text;
}

interface Addresses {
  /** In order: the address of an endpoint that is ready, or undefined. */
  readonly tried: readonly (string | undefined)[];
  readonly ready: readonly string[];
}

function addressesOf({ ports, endpoints }: EndpointSlice, portName: string): Addresses {
  const tried: (string | undefined)[] = [];
  const all = ports ?? [];
  const chosen = all.length === 0 ? [undefined] : all.filter(({ name = "" }) => name === portName);
  for (const port of chosen)
    for (const { addresses, conditions } of endpoints ?? []) {
      const isReady = conditions?.ready ?? true;
      const address = addresses[0] ?? "";
      tried.push(isReady ? (port ? withPort(address, port.port ?? 0) : address) : undefined);
    }
  return { tried, ready: tried.filter((address) => address !== undefined) };
}

/** Whether another endpoint comes after the last one that is shown. */
function hasMore(all: readonly Addresses[]): boolean {
  let count = 0;
  for (const address of all.flatMap(({ tried }) => tried)) {
    if (count === shown) return true;
    if (address !== undefined) count++;
  }
  return false;
}

const withPort = (address: string, port: number): string =>
  address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
