import { expect, test } from "vitest";
import { SeededRandom } from "../../base/random.ts";
import { applyMergePatch } from "../patch/merge-patch.ts";
import { createThreeWayJsonMergePatch } from "../patch/merge-patch-three-way.ts";
import { gadget } from "./gadget.test-support.ts";
import { testPatchProperties } from "./patch-properties.test-support.ts";
import { chanceOf, randomChange, randomMap } from "./random-document.test-support.ts";

testPatchProperties("Gadget", gadget, 4000);

test("createThreeWayJsonMergePatch: leads to what is asked for, and to the same again", () => {
  const chance = chanceOf(new SeededRandom(7));
  for (let i = 0; i < 2000; i++) {
    const original = randomMap(gadget, chance);
    const modified = randomChange(gadget, original, chance);
    const current = randomChange(gadget, original, chance);
    const patch = createThreeWayJsonMergePatch({ original, modified, current });
    const patched = applyMergePatch(current, patch);
    expect(applyMergePatch(patched, patch)).toEqual(patched);
    const alone = createThreeWayJsonMergePatch({ original, modified, current: original });
    expect(applyMergePatch(original, alone)).toEqual(modified);
  }
});
