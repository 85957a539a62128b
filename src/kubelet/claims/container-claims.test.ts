import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { Container } from "../../api/core/v1/container/container.ts";
import { deviceOf, podWith, preparedClaim } from "./claims.test-support.ts";
import { containerCdiDevices, containerClaims } from "./container-claims.ts";
import { NodeClaims } from "./node-claim.ts";

const claims = new NodeClaims();
claims.set(preparedClaim("a", { d: ["1:r1", "2:r2", "3"].map(deviceOf), e: [deviceOf("4:r1")] }));
claims.set(preparedClaim("b", { d: [deviceOf("5")], none: [] }));
claims.set(preparedClaim("x", { d: [deviceOf("6:c-0"), deviceOf("7:other-0")] }));

const mapping = (containerName: string, requestName: string) => ({
  ...{ containerName, resourceName: "example.com/gpu", requestName },
});
const extended = {
  extendedResourceClaimStatus: {
    resourceClaimName: "x",
    requestMappings: [mapping("c", "c-0"), mapping("other", "other-0")],
  },
};
const pod = podWith("p", "a b t: gone");
const podWithExtended = podWith("p", "b", extended as never);

type Uses = NonNullable<Container["resources"]>;
const using = (resources: object): Container =>
  ({ name: "c", resources: resources as Uses }) as Container;
const named = (...names: string[]) =>
  using({
    claims: names.map((text) => {
      const [name = "", request] = text.split("/");
      return { name: `my-${name}`, ...(request !== undefined && { request }) };
    }),
  });
const gpu = using({ requests: { "example.com/gpu": "1" } });

each<[string, typeof pod, Container, string]>([
  ["none", pod, { name: "c" } as Container, ""],
  ["all of a claim", pod, named("a"), "1 2 3 4"],
  ["one request, and what is for all", pod, named("a/r1"), "1 3 4"],
  ["another request", pod, named("a/r2"), "2 3"],
  ["two requests, each device once", pod, named("a/r1", "a/r2"), "1 3 4 2"],
  ["two claims", pod, named("a/r2", "b"), "2 3 5"],
  ["a claim that was not needed", pod, named("", "b"), "5"],
  ["extended resources of this container", podWithExtended, gpu, "6"],
  ["extended resources that it does not request", podWithExtended, named("b"), "5"],
  [
    "extended resources of which it requests none",
    podWithExtended,
    using({ requests: { "example.com/gpu": "0" } }),
    "",
  ],
])("containerCdiDevices: %s", (_, given, container, expected) => {
  const names = containerCdiDevices(given, container, claims);
  expect(names.map((name) => name.replace("v/c=", "")).join(" ")).toBe(expected);
});

each<[string, typeof pod, Container, string]>([
  ["none", pod, { name: "c" } as Container, ""],
  ["those that it names", pod, named("b"), "b"],
  ["in the order of the pod", pod, named("b", "a"), "a b"],
  ["the one for its extended resources", podWithExtended, gpu, "x"],
])("containerClaims: %s", (_, given, container, expected) => {
  expect(
    containerClaims(given, container, claims)
      .map(({ name }) => name)
      .join(" "),
  ).toBe(expected);
});

each<[string, () => unknown, string]>([
  [
    "containerCdiDevices",
    () => containerCdiDevices(pod, named("gone"), claims),
    "internal error: unable to get claim info for ResourceClaim gone in namespace default",
  ],
  [
    "containerClaims",
    () => containerClaims(pod, named("gone"), claims),
    "unable to get information for ResourceClaim gone",
  ],
  [
    "containerClaims of extended resources",
    () => containerClaims(podWithExtended, gpu, new NodeClaims()),
    "unable to get claim info for claim x in namespace default",
  ],
])("%s: throws for a claim that is not known", (_, call, message) => {
  expect(call).toThrow(new Error(message));
});
