import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { credentialsIn, imageMatches } from "./docker-keyring.ts";

each<[pattern: string, image: string, matches: boolean]>([
  ["gcr.io", "gcr.io/project/app", true],
  ["gcr.io", "eu.gcr.io/project/app", false],
  ["gcr.io/project", "gcr.io/project/app", true],
  ["gcr.io/project", "gcr.io/projects/app", true],
  ["gcr.io/other", "gcr.io/project/app", false],
  ["*.azurecr.io", "me.azurecr.io/app", true],
  ["*.azurecr.io", "azurecr.io/app", false],
  ["*.azurecr.io", "a.b.azurecr.io/app", false],
  ["*.*.registry.io", "a.b.registry.io/app", true],
  ["app*.k8s.io", "app-1.k8s.io/x", true],
  ["a*b*c.io", "aXbYbZc.io/x", true],
  ["a*b*c.io", "aXbYbZ.io/x", false],
  ["k8s.*", "k8s.io/x", true],
  ["registry.io:8080/path", "registry.io:8080/path/x", true],
  ["registry.io:8080", "registry.io/x", false],
  ["registry.io", "registry.io:8080/x", false],
  ["*.io:*", "registry.io:8080/x", false],
  ["[::1]:5000", "[::1]:5000/x", true],
  ["regis try.io", "regis try.io/x", false],
  ["registry.io/%zz", "registry.io/%zz", false],
])("imageMatches: %s and %s", (pattern, image, matches) => {
  expect(imageMatches(pattern, image)).toBe(matches);
});

test("imageMatches: patterns with many stars take no time", () => {
  const pattern = `${"*a".repeat(120)}b.io`;
  expect(imageMatches(pattern, `${"a".repeat(250)}.io/x`)).toBe(false);
});

const config = (...keys: string[]) =>
  new Map(keys.map((key) => [key, { username: key, password: "p" }]));

each<[name: string, keys: string[], image: string, found: string[]]>([
  [
    "longer places come first",
    ["quay.io", "quay.io/org/app", "quay.io/org", "*.io"],
    "quay.io/org/app",
    ["quay.io/org/app", "quay.io/org", "quay.io", "*.io"],
  ],
  [
    "schemes and versions do not matter",
    ["https://quay.io/v2/org", "http://quay.io/v1/"],
    "quay.io/org/app",
    ["https://quay.io/v2/org", "http://quay.io/v1/"],
  ],
  [
    "Docker Hub under its old address",
    ["https://index.docker.io/v1/"],
    "docker.io/library/nginx",
    ["https://index.docker.io/v1/"],
  ],
  [
    "the old address only if nothing else matches",
    ["index.docker.io", "docker.io"],
    "docker.io/library/nginx",
    ["docker.io"],
  ],
  ["other registries are not Docker Hub", ["index.docker.io"], "quay.io/app", []],
  ["what is no place is skipped", ["a b", "quay.io"], "quay.io/app", ["quay.io"]],
])("credentialsIn: %s", (_, keys, image, found) => {
  expect(credentialsIn([config(...keys)], image).map(({ username }) => username)).toEqual(found);
});

test("credentialsIn: those of one place are in the order of the configurations", () => {
  const [first, second] = [
    new Map([["quay.io", { username: "first" }]]),
    new Map([
      ["quay.io", { username: "second" }],
      ["quay.io/org", { username: "special" }],
    ]),
  ];
  expect(credentialsIn([first, second], "quay.io/org/app")).toEqual([
    { username: "special" },
    { username: "first" },
    { username: "second" },
  ]);
});
