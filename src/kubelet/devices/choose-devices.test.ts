import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { maskOf } from "../topology/numa-mask.ts";
import { chooseDevices } from "./choose-devices.ts";
import { devicesOf } from "./devices.test-support.ts";

interface Case {
  readonly required: number;
  readonly devices: string;
  readonly available?: string;
  readonly reusable?: string;
  readonly affinity?: readonly number[];
  readonly preferred?: string;
}

const words = (text: string | undefined): readonly string[] => text?.split(" ") ?? [];

async function choose({ devices, affinity, ...one }: Case, asked: string[] = []): Promise<string> {
  const all = devicesOf(devices);
  const chosen = await chooseDevices({
    resource: "example.com/dev",
    required: one.required,
    devices: new Map(all.map((device) => [device.id, device])),
    available: new Set(one.available ? words(one.available) : all.map(({ id }) => id)),
    reusable: new Set(words(one.reusable)),
    affinity: affinity && maskOf(affinity),
    async prefer({ available, mustInclude, size }) {
      asked.push(`${size} of ${available.join(" ")} with ${mustInclude.join(" ")}`.trim());
      return words(one.preferred);
    },
  });
  return chosen.join(" ");
}

each<[what: string, given: Case, expected: string]>([
  ["any where nodes do not matter", { required: 2, devices: "a b c" }, "a b"],
  ["those of init containers first", { required: 2, devices: "a b c", reusable: "c" }, "c a"],
  [
    "those of init containers, although they are in use",
    { required: 2, devices: "a b", available: "a", reusable: "b" },
    "b a",
  ],
  ["what the plugin prefers", { required: 2, devices: "a b c d", preferred: "d b" }, "d b"],
  ["more than what it prefers", { required: 2, devices: "a b c", preferred: "c" }, "c a"],
  [
    "nothing that it prefers but is not there",
    { required: 1, devices: "a b", available: "a", preferred: "b" },
    "a",
  ],
  ["those near the nodes", { required: 2, devices: "a@0 b@1 c@1", affinity: [1] }, "b c"],
  ["one that is near several nodes", { required: 1, devices: "a@0 b@01", affinity: [1] }, "b"],
  [
    "all that are near, then what the plugin prefers",
    { required: 3, devices: "a@0 b@0 c@1 d@0", affinity: [1], preferred: "d b" },
    "c d b",
  ],
  [
    "then those near other nodes, then the rest",
    { required: 3, devices: "a b@0 c@1", affinity: [1] },
    "c b a",
  ],
  [
    "of those that are near, what the plugin prefers",
    { required: 1, devices: "a@0 b@1 c@1", affinity: [1], preferred: "a c" },
    "c",
  ],
])("chooseDevices: takes %s", async (_, given, expected) => {
  expect(await choose(given)).toBe(expected);
});

test("chooseDevices: the plugin is told what must be included", async () => {
  const asked: string[] = [];
  await choose({ required: 2, devices: "a b c", available: "b c", reusable: "a" }, asked);
  expect(asked).toEqual(["2 of b c a with a"]);
});

test("chooseDevices: says how many are missing", async () => {
  await expect(
    choose({ required: 3, devices: "a b", available: "b", reusable: "a" }),
  ).rejects.toThrow(
    "requested number of devices unavailable for example.com/dev. Requested: 2, Available: 1",
  );
});
