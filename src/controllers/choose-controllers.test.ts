import { expect, test } from "vitest";
import { chooseControllers } from "./choose-controllers.ts";

const modules = [
  { name: "a-controller", aliases: ["a"] },
  { name: "b-controller" },
  { name: "late-controller", isOffByDefault: true },
];

test.each([
  ["*", "a-controller b-controller"],
  ["*,late-controller", "a-controller b-controller late-controller"],
  ["*,-a", "b-controller"],
  ["a", "a-controller"],
  ["-a,a", ""],
  ["a,-a", "a-controller"],
  ["-*", ""],
  ["", ""],
])("--controllers=%s runs %s", (words, chosen) => {
  const found = chooseControllers(modules, words.split(","));
  expect(found.map(({ name }) => name).join(" ")).toBe(chosen);
});
