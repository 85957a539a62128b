import { expect, test } from "vitest";
import { apiResource, serverApis } from "./server-apis.test-support.ts";
import { preferredResources } from "./server-apis.ts";

test("preferredResources: each once, in the preferred version or in the first that has it", () => {
  const apis = serverApis(
    [
      apiResource("v1", "Pod"),
      apiResource("example.com/v3", "Old"),
      apiResource("example.com/v3", "Thing"),
      apiResource("example.com/v2", "Thing"),
      apiResource("example.com/v2", "Gadget"),
      apiResource("example.com/v1", "Old"),
      apiResource("other.example.com/v1", "Thing"),
    ],
    { "example.com": "v2" },
  );
  const shown = preferredResources(apis).map(({ group, version, kind }) => [group, version, kind]);
  expect(shown).toEqual([
    ["", "v1", "Pod"],
    ["example.com", "v3", "Old"],
    ["example.com", "v2", "Thing"],
    ["example.com", "v2", "Gadget"],
    ["other.example.com", "v1", "Thing"],
  ]);
});
