import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { definitionOf, version } from "./custom.test-support.ts";
import { deprecationOf } from "./deprecation.ts";

each<[what: string, name: string, warning: string | undefined]>([
  ["a version that is not on its way out", "v1", undefined],
  [
    "the newest that is not, and is served, is named",
    "v1beta1",
    "g.io/v1beta1 Gear is deprecated; use g.io/v1 Gear",
  ],
  ["there may be none", "v3", "g.io/v3 Gear is deprecated"],
  ["the definition may say it in its own words", "v1alpha1", "gone soon"],
])("deprecationOf: %s", (_, name, warning) => {
  const deprecated = true;
  const versions = [
    version({ name: "v1alpha1", deprecated, deprecationWarning: "gone soon" }),
    version({ name: "v1beta1", deprecated }),
    version({ name: "v1beta2" }),
    version({ name: "v1" }),
    version({ name: "v2", served: false }),
    version({ name: "v3", deprecated }),
  ];
  const { spec } = definitionOf({ versions });
  const given = versions.find((each) => each.name === name);
  expect(deprecationOf(spec as never, given as never)).toBe(warning);
});
