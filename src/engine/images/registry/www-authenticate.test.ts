import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { parseChallenges } from "./www-authenticate.ts";

each<[string, unknown]>([
  ["", []],
  ["Basic", [{ scheme: "basic", parameters: {} }]],
  ['Basic realm="x"', [{ scheme: "basic", parameters: { realm: "x" } }]],
  [
    'Bearer realm="https://auth/token",service="r",scope="repository:a/b:pull,push"',
    [
      {
        scheme: "bearer",
        parameters: {
          realm: "https://auth/token",
          service: "r",
          scope: "repository:a/b:pull,push",
        },
      },
    ],
  ],
  [
    'bearer realm=plain, error="a \\"quoted\\" text" , Basic realm="y"',
    [
      { scheme: "bearer", parameters: { realm: "plain", error: 'a "quoted" text' } },
      { scheme: "basic", parameters: { realm: "y" } },
    ],
  ],
  [
    'Bearer Realm = "x" , __proto__="y"',
    [{ scheme: "bearer", parameters: { realm: "x", ["__proto__"]: "y" } }],
  ],
  ['realm="nobody\'s"', []],
])("parseChallenges: %s", (header, expected) => {
  expect(parseChallenges(header)).toEqual(expected);
});
