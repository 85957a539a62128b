import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { podWith } from "./claims.test-support.ts";
import { claimsOfPod } from "./pod-claims.ts";

const extended = { extendedResourceClaimStatus: { resourceClaimName: "x", requestMappings: [] } };

each<[string, Pod, readonly string[] | string]>([
  ["a pod without claims", podWith("p", ""), []],
  ["an object", podWith("p", "a"), ["a"]],
  ["one that was made from a template", podWith("p", "t:b"), ["b made"]],
  ["none was needed", podWith("p", "t: a"), ["a"]],
  ["two names for one claim", podWith("p", "a a"), ["a"]],
  ["the claim for extended resources", podWith("p", "a", extended as never), ["a", "x"]],
  [
    "none was made yet",
    podWith("p", "t:b", { resourceClaimStatuses: [] }),
    'pod "default/p": ResourceClaim not created yet',
  ],
  [
    "neither a name nor a template",
    { ...podWith("p", ""), spec: { resourceClaims: [{ name: "odd" }] } } as never,
    'pod "default/p", spec.resourceClaim "odd": none of the supported fields are set',
  ],
])("claimsOfPod: %s", (_, pod, expected) => {
  if (typeof expected === "string") expect(() => claimsOfPod(pod)).toThrow(expected);
  else
    expect(claimsOfPod(pod).map(({ name, isMade }) => `${name}${isMade ? " made" : ""}`)).toEqual(
      expected,
    );
});

test("claimsOfPod: the error of a claim that was not made is exact", () => {
  expect(() => claimsOfPod(podWith("p", "t:b", { resourceClaimStatuses: [] }))).toThrow(
    /^pod "default\/p": ResourceClaim not created yet$/,
  );
});
