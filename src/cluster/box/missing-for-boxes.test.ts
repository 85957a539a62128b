import { expect } from "vitest";
import { requires, testWith } from "../../../test/requires.ts";
import { missingForBoxes } from "./missing-for-boxes.ts";

testWith(requires("containers", "boxes"))("missingForBoxes: nothing where boxes run", async () => {
  expect(await missingForBoxes()).toBeUndefined();
});
