import { expect, test } from "vitest";
import type { ResourceClaim } from "../../../api/resource/v1/resource-claim.ts";
import type { AllocationResult } from "../../../api/resource/v1/resource-claim-status.ts";
import type { ResourceSlice } from "../../../api/resource/v1/resource-slice.ts";
import { celDeviceSelector } from "../../../api/resource/v1/select-device.ts";
import { aNode } from "../../framework/framework.test-support.ts";
import { AllocatedDevices } from "./allocated-devices.ts";
import { allocationResult } from "./allocation-result.ts";
import { requestsOf } from "./claim-requests.ts";
import { indexSlices, poolsOfNode } from "./device-pools.ts";
import { DeviceSearch } from "./device-search.ts";

type Parts = Readonly<Record<string, unknown>>;

const device = (name: string, more: Parts = {}) => ({ name, ...more });
const numbered = (count: number, more: Parts = {}) =>
  Array.from({ length: count }, (_, i) => device(`d${i}`, more));

function slice(name: string, devices: readonly Parts[], more: Parts = {}): ResourceSlice {
  const { pool, ...spec } = more;
  return {
    metadata: { name },
    spec: {
      driver: "x.org",
      pool: { name: "p", generation: 1, resourceSliceCount: 1, ...(pool as object) },
      nodeName: "n",
      devices,
      ...spec,
    },
  } as never;
}

const request = (name: string, more: Parts = {}) => ({
  name,
  exactly: { deviceClassName: "any", allocationMode: "ExactCount", count: 1, ...more },
});
const choice = (name: string, ...alternatives: readonly Parts[]) => ({
  name,
  firstAvailable: alternatives.map((more) => ({
    ...{ deviceClassName: "any", allocationMode: "ExactCount", count: 1 },
    ...more,
  })),
});
const where = (expression: string) => ({ selectors: [{ cel: { expression } }] });
const all = { allocationMode: "All", count: undefined };

function claim(name: string, requests: readonly Parts[], more: Parts = {}): ResourceClaim {
  return {
    metadata: { name, namespace: "default", uid: name },
    spec: { devices: { requests, ...more } },
  } as never;
}

const deviceClass = (name: string, spec: Parts = {}) => ({ metadata: { name }, spec }) as never;
const classes: Readonly<Record<string, never>> = {
  any: deviceClass("any"),
  big: deviceClass("big", {
    ...where("device.capacity['x.org'].memory.compareTo(quantity('8Gi')) >= 0"),
    config: [{ opaque: { driver: "x.org", parameters: { a: 1 } } }],
  }),
};

interface World {
  readonly slices: readonly ResourceSlice[];
  readonly claims: readonly ResourceClaim[];
  readonly taken?: readonly Parts[];
}

/** The results of all claims; undefined if there are none. */
function allocated({ slices, claims, taken = [] }: World): readonly AllocationResult[] | undefined {
  const before = new AllocatedDevices();
  before.set("before", { devices: { results: taken } } as never);
  const node = aNode("n", { labels: { zone: "a" } });
  const search = new DeviceSearch(
    claims.map((one) => ({ claim: one, requests: requestsOf(one, (name) => classes[name]) })),
    {
      node,
      pools: poolsOfNode(indexSlices(slices), node),
      allocated: before,
      selects: celDeviceSelector(),
      checkTime: () => undefined,
    },
  );
  return search
    .run()
    ?.map((chosen, i) =>
      allocationResult(chosen, { claim: claims[i] as never, node: "n", uuid: () => "uuid" }),
    );
}

/** The devices of each claim: `REQUEST=DEVICE`. */
const chosen = (world: World): readonly (readonly string[])[] | undefined =>
  allocated(world)?.map(({ devices }) =>
    (devices.results ?? []).map((one) => `${one.request}=${one.device}`),
  );

const use = (name: string, more: Parts = {}) => ({
  ...{ driver: "x.org", pool: "p", device: name },
  ...more,
});
const color = (value: string) => ({ attributes: { color: { string: value } } });
const memory = (value: string, requestPolicy?: Parts) => ({
  capacity: { memory: { value, ...(requestPolicy && { requestPolicy }) } },
});
const needs = (amount: string) => ({ capacity: { requests: { memory: amount } } });
const tainted = (effect: string) => ({ taints: [{ key: "broken", effect }] });
const gib = (amount: number) => ({
  consumesCounters: [{ counterSet: "gpu", counters: { memory: { value: `${amount}Gi` } } }],
});
const counters = slice("counters", [], {
  pool: { resourceSliceCount: 2 },
  nodeName: undefined,
  allNodes: true,
  sharedCounters: [{ name: "gpu", counters: { memory: { value: "8Gi" } } }],
});

test.each<[string, World, string[][] | undefined]>([
  [
    "the first free device",
    { slices: [slice("s", numbered(2))], claims: [claim("c", [request("r")])], taken: [use("d0")] },
    [["r=d1"]],
  ],
  [
    "no device twice, in any claim of the pod",
    {
      slices: [slice("s", numbered(3))],
      claims: [claim("a", [request("r"), request("s")]), claim("b", [request("r")])],
    },
    [["r=d0", "s=d1"], ["r=d2"]],
  ],
  [
    "nothing if a device is missing for one claim",
    {
      slices: [slice("s", numbered(1))],
      claims: [claim("a", [request("r")]), claim("b", [request("r")])],
    },
    undefined,
  ],
  [
    "several devices",
    {
      slices: [slice("s", numbered(3))],
      claims: [claim("c", [request("r", { count: 2 })])],
      taken: [use("d1")],
    },
    [["r=d0", "r=d2"]],
  ],
  [
    "devices that the expressions of claim and class select",
    {
      slices: [
        slice("s", [
          device("small", { ...color("red"), ...memory("4Gi") }),
          device("blue", { ...color("blue"), ...memory("16Gi") }),
          device("red", { ...color("red"), ...memory("8Gi") }),
        ]),
      ],
      claims: [
        claim("c", [
          request("r", {
            deviceClassName: "big",
            ...where("device.driver == 'x.org' && device.attributes['x.org'].color == 'red'"),
          }),
        ]),
      ],
    },
    [["r=red"]],
  ],
  [
    "other devices for earlier requests where a later one needs theirs",
    {
      slices: [slice("s", [device("d0", color("red")), device("d1", color("blue"))])],
      claims: [
        claim("c", [
          request("any"),
          request("red", where("device.attributes['x.org'].color == 'red'")),
        ]),
      ],
    },
    [["any=d1", "red=d0"]],
  ],
  [
    "all devices that are selected",
    {
      slices: [
        slice("s", [
          device("d0", color("red")),
          device("d1", color("blue")),
          device("d2", color("red")),
        ]),
      ],
      claims: [
        claim("c", [
          request("r", { ...all, ...where("device.attributes['x.org'].color == 'red'") }),
        ]),
      ],
    },
    [["r=d0", "r=d2"]],
  ],
  [
    "not all devices if one is taken",
    {
      slices: [slice("s", numbered(2))],
      claims: [claim("c", [request("r", all)])],
      taken: [use("d1")],
    },
    undefined,
  ],
  [
    "not all of no devices",
    { slices: [slice("s", [])], claims: [claim("c", [request("r", all)])] },
    undefined,
  ],
  [
    "devices with the same attribute",
    {
      slices: [
        slice("s", [
          device("d0", color("red")),
          device("d1", color("blue")),
          device("d2"),
          device("d3", color("blue")),
        ]),
      ],
      claims: [
        claim("c", [request("r", { count: 2 })], {
          constraints: [{ matchAttribute: "x.org/color" }],
        }),
      ],
    },
    [["r=d1", "r=d3"]],
  ],
  [
    "devices with different attributes, of certain requests only",
    {
      slices: [
        slice("s", [
          device("d0", color("red")),
          device("d1", color("red")),
          device("d2", color("blue")),
        ]),
      ],
      claims: [
        claim("c", [request("a"), request("b"), request("free")], {
          constraints: [{ requests: ["a", "b"], distinctAttribute: "x.org/color" }],
        }),
      ],
    },
    [["a=d0", "b=d2", "free=d1"]],
  ],
  [
    "devices of others for an administrator",
    {
      slices: [slice("s", numbered(1))],
      claims: [
        claim("a", [request("r", { adminAccess: true })]),
        claim("b", [request("r", { adminAccess: true })]),
      ],
      taken: [use("d0")],
    },
    [["r=d0"], ["r=d0"]],
  ],
  [
    "devices that an administrator uses",
    {
      slices: [slice("s", numbered(1))],
      claims: [claim("c", [request("r")])],
      taken: [use("d0", { adminAccess: true })],
    },
    [["r=d0"]],
  ],
  [
    "no device with a taint",
    {
      slices: [
        slice("s", [
          device("d0", tainted("NoSchedule")),
          device("d1", tainted("NoExecute")),
          device("d2", tainted("None")),
        ]),
      ],
      claims: [claim("c", [request("r")])],
    },
    [["r=d2"]],
  ],
  [
    "a device with a taint that is tolerated",
    {
      slices: [
        slice("s", [device("d0", tainted("NoSchedule")), device("d1", tainted("NoExecute"))]),
      ],
      claims: [
        claim("c", [
          request("r", {
            tolerations: [{ key: "broken", operator: "Exists", effect: "NoExecute" }],
          }),
        ]),
      ],
    },
    [["r=d1"]],
  ],
  [
    "the first alternative that there is",
    {
      slices: [slice("s", [device("d0", color("red")), device("d1", color("blue"))])],
      claims: [
        claim("c", [
          choice(
            "r",
            { name: "many", count: 5 },
            { name: "blue", ...where("device.attributes['x.org'].color == 'blue'") },
            { name: "any" },
          ),
        ]),
      ],
    },
    [["r/blue=d1"]],
  ],
  [
    "a later alternative where the first leaves nothing for other requests",
    {
      slices: [slice("s", numbered(2))],
      claims: [claim("c", [choice("r", { name: "two", count: 2 }, { name: "one" }), request("s")])],
    },
    [["r/one=d0", "s=d1"]],
  ],
  [
    "an alternative with which the claim has at most 32 devices",
    {
      slices: [slice("s", numbered(40))],
      claims: [
        claim("c", [
          request("a", { count: 31 }),
          choice("r", { name: "two", count: 2 }, { name: "one" }),
        ]),
      ],
    },
    [[...Array.from({ length: 31 }, (_, i) => `a=d${i}`), "r/one=d31"]],
  ],
  [
    "partitions while their counters last",
    {
      slices: [
        counters,
        slice(
          "s",
          [
            device("whole", gib(8)),
            device("half", gib(4)),
            device("other", gib(4)),
            device("third", gib(4)),
          ],
          {
            pool: { resourceSliceCount: 2 },
          },
        ),
      ],
      claims: [claim("c", [request("r", { count: 2 })])],
    },
    [["r=half", "r=other"]],
  ],
  [
    "no partition whose counters others have taken",
    {
      slices: [
        counters,
        slice("s", [device("whole", gib(8)), device("half", gib(4))], {
          pool: { resourceSliceCount: 2 },
        }),
      ],
      claims: [claim("c", [request("r")])],
      taken: [use("half")],
    },
    undefined,
  ],
  [
    "shares of a device as long as they fit",
    {
      slices: [slice("s", [device("d", { allowMultipleAllocations: true, ...memory("10Gi") })])],
      claims: [claim("a", [request("r", needs("4Gi"))]), claim("b", [request("r", needs("6Gi"))])],
    },
    [["r=d"], ["r=d"]],
  ],
  [
    "no share that is larger than what is left",
    {
      slices: [slice("s", [device("d", { allowMultipleAllocations: true, ...memory("10Gi") })])],
      claims: [claim("c", [request("r", needs("7Gi"))])],
      taken: [use("d", { shareID: "1", consumedCapacity: { memory: "4Gi" } })],
    },
    undefined,
  ],
  [
    "a device with enough capacity for itself alone",
    {
      slices: [
        slice("s", [
          device("small", memory("1Gi")),
          device("none"),
          device("large", memory("4Gi")),
        ]),
      ],
      claims: [claim("c", [request("r", needs("2Gi"))])],
    },
    [["r=large"]],
  ],
  [
    "devices in the order of pools and slices, those bound under conditions last",
    {
      slices: [
        slice("z", [device("late", { bindingConditions: ["ready"] })], { pool: { name: "a" } }),
        slice("y", [device("d1")], { pool: { name: "b", resourceSliceCount: 2 } }),
        slice("x", [device("d0")], { pool: { name: "b", resourceSliceCount: 2 } }),
      ],
      claims: [claim("c", [request("r", { count: 3 })])],
    },
    [["r=d0", "r=d1", "r=late"]],
  ],
  [
    "devices of the latest generation",
    {
      slices: [
        slice("old", [device("old")]),
        slice("new", [device("new")], { pool: { generation: 2 } }),
      ],
      claims: [claim("c", [request("r")])],
    },
    [["r=new"]],
  ],
  [
    "no device of a pool that is incomplete",
    {
      slices: [slice("s", numbered(1), { pool: { resourceSliceCount: 2 } })],
      claims: [claim("c", [request("r")])],
    },
    undefined,
  ],
  [
    "a device of a pool whose other slices are for other nodes",
    {
      slices: [
        slice("s", numbered(1), { pool: { resourceSliceCount: 2 } }),
        slice("t", [device("far")], { pool: { resourceSliceCount: 2 }, nodeName: "m" }),
      ],
      claims: [claim("c", [request("r")])],
    },
    [["r=d0"]],
  ],
  [
    "no device of a pool with two of a name",
    { slices: [slice("s", [device("d"), device("d")])], claims: [claim("c", [request("r")])] },
    undefined,
  ],
  [
    "only devices that the node reaches, device by device",
    {
      slices: [
        slice(
          "s",
          [
            device("far", { nodeName: "m" }),
            device("near", { nodeName: "n" }),
            device("all", { allNodes: true }),
          ],
          {
            nodeName: undefined,
            perDeviceNodeSelection: true,
          },
        ),
      ],
      claims: [claim("c", [request("r", { count: 2 })])],
    },
    [["r=near", "r=all"]],
  ],
])("DeviceSearch chooses %s", (_, world, expected) => {
  expect(chosen(world)).toEqual(expected);
});

test.each<[string, World, string]>([
  [
    "a class that is gone",
    { slices: [], claims: [claim("c", [request("r", { deviceClassName: "gone" })])] },
    'claim default/c, request r: could not retrieve device class gone: deviceclass.resource.k8s.io "gone" not found',
  ],
  [
    "too many devices",
    { slices: [], claims: [claim("c", [request("r", { count: 33 })])] },
    "claim default/c: number of requested devices 33 exceeds the claim limit of 32",
  ],
  [
    "all devices of a pool that is being updated",
    {
      slices: [slice("s", numbered(1), { pool: { resourceSliceCount: 2 } })],
      claims: [claim("c", [request("r", all)])],
    },
    "claim default/c, request r: asks for all devices, but resource pool x.org/p is currently being updated",
  ],
  [
    "all devices with a constraint that rules one out",
    {
      slices: [slice("s", [device("d0", color("red")), device("d1", color("blue"))])],
      claims: [
        claim("c", [request("r", all)], { constraints: [{ matchAttribute: "x.org/color" }] }),
      ],
    },
    "claim default/c, request r: cannot add device x.org/p/d1 because a claim constraint would not be satisfied",
  ],
  [
    "an attribute that a device does not have",
    {
      slices: [slice("s", numbered(1))],
      claims: [claim("c", [request("r", where("device.attributes['x.org'].color == 'red'"))])],
    },
    "claim default/c: selector #0: CEL runtime error: no such key: color",
  ],
  [
    "an expression that cannot be compiled",
    {
      slices: [slice("s", numbered(1))],
      claims: [claim("c", [request("r", where("nope"))])],
    },
    "claim default/c: selector #0: CEL compile error: compilation failed: ERROR: <input>:1:1: undeclared reference to 'nope' (in container '')",
  ],
  [
    "an expression that fails",
    {
      slices: [slice("s", numbered(1))],
      claims: [claim("c", [request("r", where("device.driver.split('.')[9] == 'x'"))])],
    },
    "claim default/c: selector #0: CEL runtime error: index out of bounds: 9",
  ],
  [
    "an attribute with a list",
    {
      slices: [slice("s", [device("d", { attributes: { colors: { strings: ["red"] } } })])],
      claims: [claim("c", [request("r", where("device.driver == 'x.org'"))])],
    },
    "claim default/c: selector #0: CEL runtime error: attribute colors: unsupported attribute value",
  ],
])("DeviceSearch fails for %s", (_, world, message) => {
  expect(() => chosen(world)).toThrow(message);
});

test("allocationResult: results have what the driver and others must know", () => {
  const tolerations = [{ key: "broken", operator: "Exists" }];
  const world: World = {
    slices: [
      slice(
        "s",
        [
          device("d", {
            ...tainted("NoSchedule"),
            ...memory("8Gi", { default: "1Gi", validRange: { min: "1Gi", step: "1Gi" } }),
            allowMultipleAllocations: true,
            bindingConditions: ["ready"],
            bindingFailureConditions: ["failed"],
          }),
        ],
        {
          nodeName: undefined,
          nodeSelector: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: "zone", operator: "In", values: ["a"] }] },
            ],
          },
        },
      ),
    ],
    claims: [
      claim(
        "c",
        [
          request("r", { deviceClassName: "big", tolerations, ...needs("1500Mi") }),
          choice("s", { name: "one", deviceClassName: "big", tolerations }),
        ],
        {
          config: [
            { opaque: { driver: "x.org", parameters: { b: 1 } } },
            { requests: ["s"], opaque: { driver: "x.org", parameters: { c: 1 } } },
            { requests: ["s/two"], opaque: { driver: "x.org", parameters: { d: 1 } } },
          ],
        },
      ),
    ],
  };
  const result = {
    ...{ driver: "x.org", pool: "p", device: "d", tolerations, shareID: "uuid" },
    bindingConditions: ["ready"],
    bindingFailureConditions: ["failed"],
  };
  expect(allocated(world)).toEqual([
    {
      devices: {
        results: [
          { ...result, request: "r", consumedCapacity: { memory: "2Gi" } },
          { ...result, request: "s/one", consumedCapacity: { memory: "1Gi" } },
        ],
        config: [
          {
            source: "FromClass",
            requests: ["r", "s/one"],
            opaque: { driver: "x.org", parameters: { a: 1 } },
          },
          { source: "FromClaim", opaque: { driver: "x.org", parameters: { b: 1 } } },
          {
            source: "FromClaim",
            requests: ["s"],
            opaque: { driver: "x.org", parameters: { c: 1 } },
          },
        ],
      },
      nodeSelector: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: ["a"] }] }],
      },
    },
  ]);
});

test("allocationResult: devices of one node, or that belong to one, can be used there only", () => {
  const [result] =
    allocated({
      slices: [slice("s", numbered(1))],
      claims: [claim("c", [request("r")])],
    }) ?? [];
  expect(result?.nodeSelector).toEqual({
    nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n"] }] }],
  });
});
