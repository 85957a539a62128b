import { describe, expect, test } from "vitest";
import {
  encodeQuery,
  escapePath,
  joinKeepingSlash,
  joinPaths,
  type Location,
  targetOf,
  urlOf,
} from "./location.ts";

const at = (parts: Partial<Location>): Location => ({
  scheme: "http",
  host: "h",
  path: "",
  query: "",
  tls: {},
  ...parts,
});

test.each([
  [{ host: "h" }, { host: "h", port: 80 }],
  [{ host: "h:8080" }, { host: "h", port: 8080 }],
  [{ host: "[::1]:8080" }, { host: "::1", port: 8080 }],
  [{ host: "[::1]" }, { host: "::1", port: 80 }],
  [
    { scheme: "https", tls: { insecure: true } },
    { host: "h", port: 443, tls: { insecure: true } },
  ],
] as const)("targetOf: %j", (parts, target) => {
  expect(targetOf(at(parts))).toEqual(target);
});

test("urlOf: as Go prints it", () => {
  expect(urlOf(at({ host: "[::1]:1", path: "/a b/ä", query: "x=1" }))).toBe(
    "http://[::1]:1/a%20b/%C3%A4?x=1",
  );
});

test.each([
  ["/a b?c#d", "/a%20b%3Fc%23d"],
  ["/!'()*", "/%21%27%28%29%2A"],
  ["/$&+,:;=@-_.~", "/$&+,:;=@-_.~"],
  ['/%"<>[]^`{}|', "/%25%22%3C%3E%5B%5D%5E%60%7B%7D%7C"],
])("escapePath: %s", (path, escaped) => {
  expect(escapePath(path)).toBe(escaped);
});

test("encodeQuery: by name, each in its order", () => {
  const values = [
    ["b", "1"],
    ["a", "x y+z"],
    ["b", "0'"],
  ] as const;
  expect(encodeQuery(values)).toBe("a=x+y%2Bz&b=1&b=0%27");
});

describe("paths", () => {
  test.each([
    [["", ""], ""],
    [["/a", "b"], "/a/b"],
    [["/a/", "/b/"], "/a/b"],
    [["/a", "../../c"], "/c"],
    [["a", "../.."], ".."],
    [["/"], "/"],
    [["./"], "."],
  ])("joinPaths: %j", (parts, joined) => {
    expect(joinPaths(...parts)).toBe(joined);
  });
  test.each([
    [["/a", "b/"], "/a/b/"],
    [["/a/", ""], "/a/"],
    [["", "/"], "/"],
    [["", ""], ""],
  ])("joinKeepingSlash: %j", (parts, joined) => {
    expect(joinKeepingSlash(...parts)).toBe(joined);
  });
});
