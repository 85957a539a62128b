import { expect, test } from "vitest";
import { Deployment } from "../../../api/apps/v1/deployment.ts";
import { Pod } from "../../../api/core/v1/pod/pod.ts";
import { Service } from "../../../api/core/v1/service/service.ts";
import { StatusError } from "../../../api/meta/v1/status-error.ts";
import { SeededRandom } from "../../../base/random.ts";
import { stringifyJson } from "../../../schema/json/strict-json.ts";
import type { Kind } from "../../../schema/language/kind.ts";
import { shapeOf } from "../../../schema/language/shape.ts";
import type { Struct } from "../../../schema/language/struct.ts";
import { testPatchProperties } from "../../../schema/strategic-merge/patch-properties.test-support.ts";
import {
  chanceOf,
  randomDamage,
  randomMap,
} from "../../../schema/strategic-merge/random-document.test-support.ts";
import { toApiRequest } from "../../in-process.test-support.ts";
import type { ApiObject } from "../../objects/object.ts";
import { objectOf, resources } from "../verb-parts.test-support.ts";
import { readPatch } from "./patch.ts";

for (const { kind, struct } of [Deployment, Pod, Service])
  testPatchProperties(kind, shapeOf(struct as Struct), 1000);

test("readPatch: whatever a client sends gives an object or a status", () => {
  const chance = chanceOf(new SeededRandom(9));
  let patched = 0;
  for (let i = 0; i < 3000; i++) {
    const kind = chance.pick([Deployment, Pod, Service]) as unknown as Kind<ApiObject>;
    const shape = shapeOf(kind.struct);
    const { metadata: _, ...rest } = randomMap(shape, chance);
    const object = objectOf(kind, "a", rest);
    const body = stringifyJson(randomDamage(randomMap(shape, chance), chance));
    const type = chance.pick([
      "application/strategic-merge-patch+json",
      "application/merge-patch+json",
    ] as const);
    const fieldValidation = chance.pick(["Ignore", "Warn", "Strict"] as const);
    const context = { type, kind, resources, fieldValidation, warnings: [] };
    try {
      readPatch(toApiRequest({ path: "/", body }), context)(object);
      patched++;
    } catch (error) {
      if (!StatusError.is(error)) throw error;
    }
  }
  expect(patched).toBeGreaterThan(100);
});
