import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { joinedPodRange } from "./pod-range.ts";

each<[pods: string | undefined, range: string]>([
  ["10.201.0.0/16", "10.201.128.0/17"],
  ["172.20.0.0/15", "172.21.0.0/16"],
  [undefined, "10.243.0.0/16"],
])("joinedPodRange: beside nodes in %s, machines get %s", (pods, range) => {
  expect(joinedPodRange(pods)).toBe(range);
});
