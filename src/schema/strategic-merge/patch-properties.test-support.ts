import { expect, test } from "vitest";
import { SeededRandom } from "../../base/random.ts";
import { isMap, type JsonMap } from "../json/json-value.ts";
import type { Shape } from "../language/shape.ts";
import { PatchConflictError } from "../patch/merge-patch-errors.ts";
import { applyStrategicMergePatch } from "./apply-strategic-merge-patch.ts";
import { createThreeWayMergePatch, createTwoWayMergePatch } from "./create-merge-patch.ts";
import {
  type Chance,
  chanceOf,
  randomChange,
  randomDamage,
  randomMap,
} from "./random-document.test-support.ts";
import { StrategicMergeError } from "./strategic-merge-error.ts";

/** What holds of strategic merge patches of every type. */
export function testPatchProperties(name: string, shape: Shape, count: number): void {
  const each = (check: (chance: Chance, original: JsonMap, modified: JsonMap) => void) => () => {
    const chance = chanceOf(new SeededRandom(36));
    for (let i = 0; i < count; i++) {
      const original = randomMap(shape, chance);
      const modified = chance(0.1)
        ? randomMap(shape, chance)
        : randomChange(shape, original, chance);
      check(chance, original, modified);
    }
  };
  const apply = (document: JsonMap, patch: object): JsonMap =>
    asRead(applyStrategicMergePatch(shape, document, patch as JsonMap), shape) as JsonMap;

  test(
    `${name}: a patch leads from one document to the other, once and again`,
    each((_, original, modified) => {
      const patch = createTwoWayMergePatch(shape, original, modified);
      const patched = apply(original, patch);
      expect(patched).toEqual(asRead(modified, shape));
      expect(apply(patched, patch)).toEqual(patched);
    }),
  );

  test(
    `${name}: without changes by others a three-way patch leads to what is asked for`,
    each((_, original, modified) => {
      const documents = { original, modified, current: original, overwrite: false };
      const patch = createThreeWayMergePatch(shape, documents);
      expect(apply(original, patch)).toEqual(asRead(modified, shape));
    }),
  );

  test(
    `${name}: a three-way patch leads to the same again, whatever others added or changed`,
    each((chance, original, modified) => {
      const current = apply(original, randomMap(shape, chance));
      const documents = { original, modified, current, overwrite: true };
      const patch = createThreeWayMergePatch(shape, documents);
      const patched = apply(current, patch);
      expect(apply(patched, patch)).toEqual(patched);
    }),
  );

  test(
    `${name}: what is no patch is refused in our words, and changes nothing`,
    each((chance, original, modified) => {
      const good = chance(0.5) ? modified : createTwoWayMergePatch(shape, original, modified);
      const patch = { ...(randomDamage(good, chance) as object) };
      const broken = { ...(randomDamage(original, chance) as object) };
      const documents = { original: broken, modified, current: original, overwrite: false };
      const before = text([patch, documents]);
      refusing(() => applyStrategicMergePatch(shape, original, patch));
      refusing(() => createTwoWayMergePatch(shape, original, broken));
      refusing(() => createThreeWayMergePatch(shape, documents));
      expect(text([patch, documents])).toBe(before);
    }),
  );
}

/**
 * A document as a server reads it: without nulls and without the directives that stay in items that
 * are added. Scalars that are merged count as a set: upstream forgets to say their order where it is
 * that of their names.
 */
function asRead(value: unknown, shape: Shape | undefined, isSet = false): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => asRead(item, shape?.list?.items));
    return isSet && !items.some(isMap) ? items.sort() : items;
  }
  if (!isMap(value)) return value;
  const out: JsonMap = {};
  for (const [name, inner] of Object.entries(value)) {
    if (inner === null || name.startsWith("$")) continue;
    const field = shape?.map?.fields.get(name);
    const isMerged = field?.patchStrategy?.startsWith("merge");
    out[name] = asRead(inner, field?.shape ?? shape?.map?.items, isMerged);
  }
  return out;
}

function refusing(act: () => unknown): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof StrategicMergeError || error instanceof PatchConflictError)) throw error;
  }
}

const text = (value: unknown): string =>
  JSON.stringify(value, (_, item: unknown) => (typeof item === "bigint" ? `${item}n` : item));
