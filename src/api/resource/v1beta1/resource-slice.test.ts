import { expect, test } from "vitest";
import { canonicalise } from "../../../schema/language/normalise.ts";
import { ResourceSlice as Stored } from "../v1/resource-slice.ts";
import { created, now, written } from "../written.test-support.ts";
import { ResourceSlice } from "./resource-slice.ts";

const base = { driver: "d", pool: { name: "p", generation: 1, resourceSliceCount: 1 } };

test("ResourceSlice v1beta1: what is basic is stored with the device, and what is empty is not", () => {
  const slice = written(ResourceSlice, {
    spec: {
      ...base,
      nodeName: "",
      allNodes: true,
      devices: [{ name: "d", basic: { attributes: { a: { int: 1 } } } }, { name: "e" }],
    },
  });
  const stored = ResourceSlice.conversion?.toStored(slice as never);
  const back = ResourceSlice.conversion?.fromStored(stored as never);
  expect([
    (canonicalise(Stored.struct, stored) as Stored).spec,
    (canonicalise(ResourceSlice.struct, back) as ResourceSlice).spec,
  ]).toEqual([
    {
      ...base,
      allNodes: true,
      devices: [{ name: "d", attributes: { a: { int: 1 } } }, { name: "e" }],
    },
    {
      ...base,
      allNodes: true,
      devices: [
        { name: "d", basic: { attributes: { a: { int: 1 } } } },
        { name: "e", basic: {} },
      ],
    },
  ]);
});

test("ResourceSlice v1beta1: it is prepared and validated as it is stored", () => {
  const { object, errors } = created(ResourceSlice, {
    spec: {
      ...base,
      devices: [
        {
          name: "D",
          basic: { taints: [{ key: "a", effect: "None" }], attributes: { a: { bools: [true] } } },
        },
      ],
    },
  });
  expect({
    devices: object.spec.devices,
    errors: errors.map((error) => error.split(":")[0]),
  }).toEqual({
    devices: [
      {
        name: "D",
        basic: { taints: [{ key: "a", effect: "None", timeAdded: now }], attributes: { a: {} } },
      },
    ],
    errors: ["spec", "spec.devices[0].name", "spec.devices[0].attributes[a]"],
  });
});

test("ResourceSlice v1beta1: it can be selected by node and driver", () => {
  const slice = written(ResourceSlice, { spec: { ...base, nodeName: "n" } }) as never;
  const selected = Object.entries(ResourceSlice.selectableFields).map(([name, select]) => [
    name,
    select(slice),
  ]);
  expect(selected).toEqual([
    ["spec.nodeName", "n"],
    ["spec.driver", "d"],
  ]);
});
