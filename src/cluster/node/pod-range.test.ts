import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { joinedPodRanges } from "./pod-range.ts";

each<[given: Parameters<typeof joinedPodRanges>[0], ranges: readonly string[]]>([
  [{ pods: "10.201.0.0/16" }, ["10.201.128.0/17"]],
  [{ pods: "172.20.0.0/15" }, ["172.21.0.0/16"]],
  [
    { pods: "10.201.0.0/16", ipv6: "fd12:3456:789a" },
    ["10.201.128.0/17", "fd12:3456:789a:1800::/53"],
  ],
  [undefined, ["10.243.0.0/16"]],
])("joinedPodRanges: beside nodes in %j, machines get %j", (given, ranges) => {
  expect(joinedPodRanges(given)).toEqual(ranges);
});
