import { describe, expect, test } from "vitest";
import { applyChanges } from "./apply-changes.ts";
import { matchesReference } from "./image-names.ts";
import { progressMessage } from "./progress-message.ts";
import { parseRegistryAuth } from "./registry-auth.ts";

describe("applyChanges", () => {
  test.each<[changes: readonly string[], config: object]>([
    [['CMD ["a","b"]'], { Cmd: ["a", "b"] }],
    [["CMD a b"], { Cmd: ["/bin/sh", "-c", "a b"] }],
    [["ENTRYPOINT []"], { Entrypoint: [] }],
    [["ENV A=1 B=\"x y\" C='z'"], { Env: ["A=1", "B=x y", "C=z"] }],
    [["ENV A one two"], { Env: ["A=one two"] }],
    [["ENV A=1", "env A=2"], { Env: ["A=2"] }],
    [["LABEL a=b\nUSER me"], { Labels: { a: "b" }, User: "me" }],
    [["EXPOSE 80 53/udp"], { ExposedPorts: { "80/tcp": {}, "53/udp": {} } }],
    [['VOLUME ["/a"]', "VOLUME /b /c"], { Volumes: { "/a": {}, "/b": {}, "/c": {} } }],
    [["WORKDIR /w", "STOPSIGNAL TERM"], { WorkingDir: "/w", StopSignal: "TERM" }],
  ])("%j", (changes, config) => {
    expect(applyChanges({}, changes)).toEqual(config);
  });

  test("RUN is no change", () => {
    expect(() => applyChanges({}, ["RUN x"])).toThrow("run is not a valid change command");
  });
});

test.each<[pattern: string, matches: boolean]>([
  ["nginx", true],
  ["nginx:1", true],
  ["ngin?", true],
  ["n*:1", true],
  ["nginx:2", false],
  ["*/nginx", false],
  ["[", false],
])("matchesReference: %s", (pattern, matches) => {
  expect(matchesReference("docker.io/library/nginx:1", pattern)).toBe(matches);
});

test("progressMessage: a bar where there are numbers", () => {
  expect(JSON.parse(progressMessage({ id: "a", status: "Waiting" }))).toEqual({
    id: "a",
    status: "Waiting",
    progressDetail: {},
  });
  expect(
    JSON.parse(progressMessage({ id: "a", status: "Downloading", current: 5e5, total: 1e6 })),
  ).toEqual({
    id: "a",
    status: "Downloading",
    progressDetail: { current: 5e5, total: 1e6 },
    progress: `[${"=".repeat(25)}>${" ".repeat(24)}]  500kB/1MB`,
  });
});

test("parseRegistryAuth", () => {
  const header = Buffer.from('{"username":"me","password":"x"}').toString("base64url");
  expect(parseRegistryAuth(header)).toMatchObject({ username: "me", password: "x" });
  expect(parseRegistryAuth(Buffer.from("{}").toString("base64url"))).toBeUndefined();
  expect(parseRegistryAuth(undefined)).toBeUndefined();
  expect(() => parseRegistryAuth("!")).toThrow("invalid X-Registry-Auth header");
});
