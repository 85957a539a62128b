import { describe, expect, test } from "vitest";
import { splitApiVersion } from "./api-version.ts";
import { route } from "./docker-route.ts";
import { hasLabel, parseFilters } from "./filters.ts";
import { parseListenAddress } from "./listen-address.ts";
import { createRouter } from "./router.ts";
import { frame } from "./stream-frames.ts";

describe("splitApiVersion", () => {
  test.each<{ readonly name: string; readonly path: string; readonly result: object }>([
    { name: "a version", path: "/v1.41/info", result: { minor: 41, path: "/info" } },
    { name: "none", path: "/info", result: { minor: 47, path: "/info" } },
    { name: "a name like one", path: "/vault", result: { minor: 47, path: "/vault" } },
  ])("$name", ({ path, result }) => {
    expect(splitApiVersion(path)).toEqual(result);
  });

  test.each<{ readonly name: string; readonly path: string; readonly message: string }>([
    {
      name: "too old",
      path: "/v1.23/info",
      message:
        "client version 1.23 is too old. Minimum supported API version is 1.24, please upgrade your client to a newer version",
    },
    {
      name: "too new",
      path: "/v1.99/info",
      message: "client version 1.99 is too new. Maximum supported API version is 1.47",
    },
  ])("$name", ({ path, message }) => {
    expect(() => splitApiVersion(path)).toThrow(message);
  });
});

describe("createRouter", () => {
  const handle = (): { status: number } => ({ status: 200 });
  const find = createRouter([
    route("GET /containers/{id}/json", handle),
    route("GET /images/{name...}/json", handle),
  ]);
  test.each<{
    readonly method: string;
    readonly path: string;
    readonly params: object | undefined;
  }>([
    { method: "GET", path: "/containers/a%20b/json", params: { id: "a b" } },
    { method: "GET", path: "/containers/a/b/json", params: undefined },
    { method: "POST", path: "/containers/a/json", params: undefined },
    { method: "GET", path: "/images/host:5000/a/b:c/json", params: { name: "host:5000/a/b:c" } },
    { method: "GET", path: "/images/%ZZ/json", params: { name: "%ZZ" } },
  ])("$method $path", ({ method, path, params }) => {
    expect(find(method, path)?.params).toEqual(params);
  });
});

describe("filters", () => {
  test("lists and sets", () => {
    const both = parseFilters('{"label":["a=b"],"name":{"x":true}}', ["label", "name"]);
    expect([...both]).toEqual([
      ["label", ["a=b"]],
      ["name", ["x"]],
    ]);
  });

  test("an unknown filter is rejected", () => {
    expect(() => parseFilters('{"x":["a"]}', ["name"])).toThrow("invalid filter 'x'");
  });

  test.each<{ readonly wanted: string; readonly has: boolean }>([
    { wanted: "a", has: true },
    { wanted: "a=1", has: true },
    { wanted: "a=2", has: false },
    { wanted: "b", has: false },
  ])("hasLabel: $wanted", ({ wanted, has }) => {
    expect(hasLabel({ a: "1" }, wanted)).toBe(has);
  });
});

test("frame: number, length, bytes", () => {
  expect([...frame("stderr", Buffer.from("ab"))]).toEqual([2, 0, 0, 0, 0, 0, 0, 2, 97, 98]);
});

test("parseListenAddress", () => {
  expect(parseListenAddress("unix:///run/d.sock")).toEqual({ path: "/run/d.sock" });
  expect(parseListenAddress("tcp://[::1]:2375")).toEqual({ host: "::1", port: 2375 });
  expect(() => parseListenAddress("/run/d.sock")).toThrow("want unix:///PATH");
});
