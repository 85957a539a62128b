import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { mappedId } from "./mapped-users.ts";

const mappings = [
  { containerID: 0, hostID: 131072, size: 65536 },
  { containerID: 70000, hostID: 500, size: 10 },
];

each<[id: number, Parameters<typeof mappedId>[1], expected: number]>([
  [0, undefined, 0],
  [1000, undefined, 1000],
  [0, mappings, 131072],
  [65535, mappings, 196607],
  [65536, mappings, 65534],
  [70009, mappings, 509],
  [70010, mappings, 65534],
  [0, [], 65534],
])("mappedId: %d with %j", (id, given, expected) => {
  expect(mappedId(id, given)).toBe(expected);
});
