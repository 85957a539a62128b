import { expect, test } from "vitest";
import { each } from "../../../../../test/each.ts";
import { defaultPullPolicy, imageNameProblem, parseImageName } from "./image-name.ts";

const digest = `sha256:${"a".repeat(64)}`;

each<[image: string, parts: readonly unknown[] | undefined]>([
  ["busybox", ["docker.io", "library/busybox", "latest", undefined]],
  ["docker.io/busybox:1", ["docker.io", "library/busybox", "1", undefined]],
  ["index.docker.io/a/b", ["docker.io", "a/b", "latest", undefined]],
  ["localhost/a", ["localhost", "a", "latest", undefined]],
  ["host:5000/a/b:v1", ["host:5000", "a/b", "v1", undefined]],
  ["Host/a", ["Host", "a", "latest", undefined]],
  ["[::1]:5000/a", ["[::1]:5000", "a", "latest", undefined]],
  [`a/b@${digest}`, ["docker.io", "a/b", undefined, digest]],
  [`a/b:latest@${digest}`, ["docker.io", "a/b", "latest", digest]],
  ["a@sha256:abc", undefined],
  ["", undefined],
  ["Busybox", undefined],
  ["a//b", undefined],
  ["a:", undefined],
  ["a:-x", undefined],
  [`a:${"t".repeat(129)}`, undefined],
  ["a".repeat(64), undefined],
  [`x/${"b".repeat(254)}`, undefined],
])("parseImageName: %s", (image, parts) => {
  const name = parseImageName(image);
  expect(name && [name.domain, name.path, name.tag, name.digest]).toEqual(parts);
});

each<[image: string, problem: string | undefined]>([
  ["busybox", undefined],
  ["Busybox", "invalid reference format: repository name (library/Busybox) must be lowercase"],
  ["Not/Valid:::x", "invalid reference format: repository name (Valid) must be lowercase"],
  ["a//b", "invalid reference format"],
  ["", "invalid reference format"],
  ["a@sha256:abc", "invalid checksum digest length"],
  ["a@md5:abc", "unsupported digest algorithm"],
  [
    "a".repeat(64),
    `invalid repository name (${"a".repeat(64)}), cannot specify 64-byte hexadecimal strings`,
  ],
  [`x/${"b".repeat(254)}`, "repository name must not be more than 255 characters"],
])("imageNameProblem: %s", (image, problem) => {
  expect(imageNameProblem(image)).toBe(problem);
});

test.each([
  ["a", "Always"],
  ["a:latest", "Always"],
  ["a:1", "IfNotPresent"],
  [`a@${digest}`, "IfNotPresent"],
  ["not an image", "IfNotPresent"],
])("defaultPullPolicy: %s is pulled %s", (image, policy) => {
  expect(defaultPullPolicy(image)).toBe(policy);
});
