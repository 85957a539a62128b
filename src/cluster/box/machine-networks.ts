import { mustRun } from "../../platform/run-child.ts";
import type { AddressRow, RouteRow, TakenRanges } from "./choose-ranges.ts";

/** The routes, of all tables, and the addresses of the machine. */
export async function machineNetworks(): Promise<Pick<TakenRanges, "routes" | "addresses">> {
  const [routes, addresses] = await Promise.all([
    mustRun("ip", ["-4", "-json", "route", "show", "table", "all"]),
    mustRun("ip", ["-4", "-json", "address"]),
  ]);
  return {
    routes: JSON.parse(routes || "[]") as readonly RouteRow[],
    addresses: JSON.parse(addresses || "[]") as readonly AddressRow[],
  };
}
