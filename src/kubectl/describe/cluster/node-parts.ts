import type { ResourceSlice } from "../../../api/resource/v1/resource-slice.ts";
import { compareUtf8 } from "../../../schema/values/utf8-order.ts";
import type { DescribeContext } from "../describe-context.ts";
import { describedKinds } from "../described-kinds.ts";
import type { Description } from "../description.ts";
import { timeText } from "../time-text.ts";

/** The lease that a node renews while it lives. */
export async function nodeLeaseLines(
  d: Description,
  context: DescribeContext,
  name: string,
): Promise<void> {
  try {
    const place = { namespace: "kube-node-lease", name };
    const { spec } = await context.get(describedKinds.lease, place);
    const { holderIdentity, acquireTime, renewTime } = spec ?? {};
    d.line("Lease:");
    d.field("HolderIdentity", holderIdentity ?? "<unset>", 1);
    d.field("AcquireTime", acquireTime ? timeText(acquireTime) : "<unset>", 1);
    d.field("RenewTime", renewTime ? timeText(renewTime) : "<unset>", 1);
  } catch (error) {
    d.field("Lease", `Failed to get lease: ${(error as Error).message}`);
  }
}

interface Pool {
  readonly driver: string;
  readonly pool: string;
  slices: number;
  devices: number;
}

const shown = 10;

/** The devices of a node by driver and pool. */
export function resourceSliceLines(d: Description, slices: readonly ResourceSlice[]): void {
  if (slices.length === 0) return;
  const pools = new Map<string, Pool>();
  for (const { spec } of slices) {
    const driver = spec.driver ?? "";
    const pool = spec.pool?.name ?? "";
    const key = `${driver}/${pool}`;
    const known = pools.get(key) ?? { driver, pool, slices: 0, devices: 0 };
    known.slices++;
    known.devices += (spec.devices ?? []).length;
    pools.set(key, known);
  }
  d.line("Node-Local ResourceSlices:");
  d.columns(["Driver", "Pool", "Slices", "Devices"], 1);
  const sorted = [...pools].sort(([a], [b]) => compareUtf8(a, b));
  for (const [, { driver, pool, slices, devices }] of sorted.slice(0, shown))
    d.row([driver, pool, slices, devices], 1);
  if (sorted.length > shown) d.line(`...and ${sorted.length - shown} more pools`, 1);
}
