import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import type { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import type { ResourceSlice } from "../../api/resource/v1/resource-slice.ts";
import { poolStatus } from "./pool-status.ts";

const now = "2026-01-01T00:00:00Z";

/** A slice `DRIVER/POOL`, of 1 unless more are wanted. */
function slice(
  pool: string,
  { generation = 1, of = 1, devices = 1, nodeName = undefined as string | undefined } = {},
): ResourceSlice {
  const [driver, name] = pool.split("/");
  return {
    metadata: {},
    spec: {
      driver,
      pool: { name, generation, resourceSliceCount: of },
      devices: Array.from({ length: devices }, (_, i) => ({ name: `d${i}` })),
      nodeName,
    },
  } as unknown as ResourceSlice;
}

function claim(...pools: readonly string[]): ResourceClaim {
  const results = pools.map((each) => {
    const [driver, pool] = each.split("/");
    return { driver, pool, device: "d0", request: "r" };
  });
  return {
    status: results.length > 0 ? { allocation: { devices: { results } } } : {},
  } as unknown as ResourceClaim;
}

/** `POOL@GENERATION: slices total/allocated/available node`, or what is wrong. */
const show = (
  spec: { readonly poolName?: string; readonly limit?: number },
  slices: readonly ResourceSlice[],
  claims: readonly ResourceClaim[] = [],
) => {
  const status = poolStatus({ driver: "a", ...spec } as never, { slices, claims, now });
  return [
    status.poolCount,
    ...(status.pools ?? []).map((pool) => {
      const { totalDevices, allocatedDevices, availableDevices } = pool;
      const counts = `${pool.resourceSliceCount} ${totalDevices}/${allocatedDevices}/${availableDevices}`;
      const where = pool.nodeName ? ` ${pool.nodeName}` : "";
      return `${pool.poolName}@${pool.generation}: ${pool.validationError ?? counts}${where}`;
    }),
    status.conditions?.[0]?.message,
  ];
};

each<[string, Parameters<typeof show>, ReturnType<typeof show>]>([
  ["no pool", [{}, [slice("b/p")]], [0, "Calculated status for 0 pools"]],
  [
    "pools by name, and those of the driver alone",
    [{}, [slice("a/q", { devices: 2 }), slice("b/p"), slice("a/p")]],
    [2, "p@1: 1 1/0/1", "q@1: 1 2/0/2", "Calculated status for 2 pools"],
  ],
  [
    "slices of older generations do not count",
    [
      {},
      [
        slice("a/p", { generation: 2, devices: 3, of: 2 }),
        slice("a/p", { devices: 5 }),
        slice("a/p", { generation: 2, devices: 1, of: 2 }),
      ],
      [claim("a/p", "b/p"), claim("a/p", "a/q"), claim()],
    ],
    [1, "p@2: 2 4/2/2", "Calculated status for 1 pools"],
  ],
  [
    "more allocated than there are",
    [{}, [slice("a/p")], [claim("a/p", "a/p")]],
    [1, "p@1: 1 1/2/0", "Calculated status for 1 pools"],
  ],
  [
    "slices are missing",
    [{}, [slice("a/p", { of: 3, nodeName: "n" })]],
    [
      1,
      "p@1: pool a/p is incomplete: observed 1/3 slices at generation 1 n",
      "Calculated status for 1 pools (1 incomplete)",
    ],
  ],
  [
    "slices of several nodes",
    [{}, [slice("a/p", { of: 2, nodeName: "n" }), slice("a/p", { of: 2, nodeName: "m" })]],
    [1, "p@1: 2 2/0/2", "Calculated status for 1 pools"],
  ],
  [
    "one pool",
    [{ poolName: "q" }, [slice("a/p"), slice("a/q", { nodeName: "n" })]],
    [1, "q@1: 1 1/0/1 n", "Calculated status for 1 pools"],
  ],
  [
    "more pools than wanted",
    [{ limit: 1 }, [slice("a/p"), slice("a/q", { of: 2 })]],
    [2, "p@1: 1 1/0/1", "Calculated status for 1 pools"],
  ],
])("poolStatus: %s", (_, given, wanted) => {
  expect(show(...given)).toEqual(wanted);
});

test("poolStatus: an error is no longer than the field may be", () => {
  const long = `a/${"p".repeat(250)}`;
  const { pools } = poolStatus({ driver: "a" } as never, {
    slices: [slice(long, { of: 2 })],
    claims: [],
    now,
  });
  expect(pools?.[0]?.validationError).toHaveLength(256);
});
