import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import {
  familiarName,
  fullName,
  parseImageName,
  parseReference,
  withDefaultTag,
} from "./reference.ts";

const digest = `sha256:${"a".repeat(64)}`;

each<[string, string, string]>([
  ["busybox", "docker.io/library/busybox:latest", "busybox:latest"],
  ["busybox:1.36", "docker.io/library/busybox:1.36", "busybox:1.36"],
  ["library/busybox", "docker.io/library/busybox:latest", "busybox:latest"],
  ["docker.io/busybox", "docker.io/library/busybox:latest", "busybox:latest"],
  ["index.docker.io/library/busybox", "docker.io/library/busybox:latest", "busybox:latest"],
  ["docker.io/library/a/b", "docker.io/library/a/b:latest", "library/a/b:latest"],
  ["user/name:v1", "docker.io/user/name:v1", "user/name:v1"],
  ["quay.io/a/b", "quay.io/a/b:latest", "quay.io/a/b:latest"],
  ["localhost/a", "localhost/a:latest", "localhost/a:latest"],
  ["localhost:5000/a", "localhost:5000/a:latest", "localhost:5000/a:latest"],
  ["Host/a", "Host/a:latest", "Host/a:latest"],
  ["[::1]:5000/a", "[::1]:5000/a:latest", "[::1]:5000/a:latest"],
  ["a__b/c-d--e.f_g", "docker.io/a__b/c-d--e.f_g:latest", "a__b/c-d--e.f_g:latest"],
  [`busybox@${digest}`, `docker.io/library/busybox@${digest}`, `busybox@${digest}`],
  [`busybox:1@${digest}`, `docker.io/library/busybox:1@${digest}`, `busybox:1@${digest}`],
])("parseReference: %s is %s, for people %s", (text, full, familiar) => {
  const reference = withDefaultTag(parseReference(text));
  expect([fullName(reference), familiarName(reference)]).toEqual([full, familiar]);
  expect(withDefaultTag(parseReference(full))).toEqual(reference);
});

each<[string, string]>([
  ["", "invalid reference format"],
  [":tag", "invalid reference format"],
  ["a b", "invalid reference format"],
  ["-a", "invalid reference format"],
  ["a//b", "invalid reference format"],
  ["a:", "invalid reference format"],
  ["../../etc", "invalid reference format"],
  ["quay.io/../a", "invalid reference format"],
  ["a:x/y", "invalid reference format"],
  ["a___b", "invalid reference format"],
  [`a:${"t".repeat(129)}`, "invalid reference format"],
  ["a@sha256:abc", "invalid reference format"],
  ["x".repeat(5000), "invalid reference format"],
  ["Busybox", "invalid reference format: repository name (library/Busybox) must be lowercase"],
  ["quay.io/A/b:T", "invalid reference format: repository name (A/b) must be lowercase"],
  [
    "f".repeat(64),
    `invalid repository name (${"f".repeat(64)}), cannot specify 64-byte hexadecimal strings`,
  ],
  ["a".repeat(256), "repository name must not be more than 255 characters"],
  [`a@md5:${"a".repeat(32)}`, "unsupported digest algorithm"],
  [`a@sha256:${"a".repeat(63)}`, "invalid checksum digest length"],
  [`a@sha256:${"A".repeat(64)}`, "invalid checksum digest format"],
])("parseReference: %s is refused: %s", (text, message) => {
  expect(() => parseReference(text)).toThrow(message);
  expect(() => parseReference(text)).toThrow(expect.objectContaining({ name: "InvalidReference" }));
});

test("parseImageName: a digest makes the tag superfluous", () => {
  expect(fullName(parseImageName(`a:1@${digest}`))).toBe(`docker.io/library/a@${digest}`);
  expect(fullName(parseImageName("a:1"))).toBe("docker.io/library/a:1");
});
