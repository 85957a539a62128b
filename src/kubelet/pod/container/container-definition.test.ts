import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import type { Container } from "../../../api/core/v1/container/container.ts";
import type { ContainerStatus } from "../../../cri/runtime-types.ts";
import { containerHash, hasChanged, hashAnnotation } from "./container-definition.ts";

const container = { name: "test_container", image: "foo/image:v1" } as Container;

test("containerHash: is upstream's", () => {
  expect(containerHash(container)).toBe("8e45cbd0");
});

each<[string, Partial<ContainerStatus>, boolean]>([
  ["the same hash", { annotations: { [hashAnnotation]: "8e45cbd0" } }, false],
  ["another hash", { annotations: { [hashAnnotation]: "8e45cbd1" } }, true],
  ["the same image", { annotations: {}, userSpecifiedImage: "foo/image:v1" }, false],
  ["another image", { annotations: {}, userSpecifiedImage: "foo/image:v2" }, true],
])("hasChanged: %s", (_, status, expected) => {
  expect(hasChanged(container, status as ContainerStatus)).toBe(expected);
});
