import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { factsFolder } from "../../test/facts.ts";
import { type Random, SeededRandom } from "../base/random.ts";
import type * as Generate from "../schema/generated-code/generate.ts";
import { copyJson } from "../schema/json/json-value.ts";
import { apiVersionOf } from "../schema/language/kind.ts";
import { shapeOf } from "../schema/language/shape.ts";
import type { Struct } from "../schema/language/struct.ts";
import { kinds } from "./kinds.generated.ts";

// Functions that are generated from a declaration, against those that interpret it: the same modules
// twice, once with all that can be generated, once without.

type Replaceable = typeof Generate.replaceable;

const interpreting: Replaceable = (run) => ({ run });
const generating: Replaceable = (interpret, generate) => {
  const replaced: ReturnType<typeof interpreting<Parameters<typeof interpret>, unknown>> = {
    run(...args) {
      replaced.run = generate() ?? interpret;
      return replaced.run(...args);
    },
  };
  return replaced as never;
};

async function schemaWith(replaceable: Replaceable) {
  vi.resetModules();
  vi.doMock("../schema/generate.ts", async (original) => ({
    ...(await original<typeof Generate>()),
    replaceable,
  }));
  return {
    ...(await import("../schema/language/defaults.ts")),
    ...(await import("../schema/language/normalise.ts")),
    ...(await import("../schema/protobuf/protobuf.ts")),
    ...(await import("../schema/apply/created-fields.ts")),
    ...(await import("../schema/apply/field-set.ts")),
  };
}
type Schema = Awaited<ReturnType<typeof schemaWith>>;

const folder = join(factsFolder, "golden");
const files = readdirSync(folder);
const cases = kinds.flatMap((kind) => {
  const group = kind.group === "" ? "core" : kind.group;
  const file = `${group}.${kind.version}.${kind.kind}.json`;
  const name = `${apiVersionOf(kind)} ${kind.kind}`;
  return files.includes(file) ? [[name, kind.struct as Struct, join(folder, file)] as const] : [];
});

describe("what is generated does what is interpreted:", () => {
  let interpreted: Schema;
  let generated: Schema;
  beforeAll(async () => {
    interpreted = await schemaWith(interpreting);
    generated = await schemaWith(generating);
    expect(cases.length).toBeGreaterThan(50);
  });

  test.each(cases)("%s, with every field and with some of them", (name, struct, file) => {
    const random = new SeededRandom(name.length);
    const whole = JSON.parse(readFileSync(file, "utf8")) as object;
    for (let round = 0; round < 60; round++) {
      // At first as it is, then with less and less that is right.
      const object = round === 0 ? whole : disturbed(random, whole, round % 3 === 0 ? 0.02 : 0);
      const text = JSON.stringify(object);
      const [a, b] = [interpreted, generated].map((schema) => outcomes(schema, struct, text));
      expect(b).toEqual(a);
    }
  });
});

/** All that comes of an object, good or bad. */
function outcomes(schema: Schema, struct: Struct, text: string): Record<string, unknown> {
  const normalised = schema.normalise(struct, JSON.parse(text));
  const { value, members } = normalised ?? {};
  const result: Record<string, unknown> = { normalised: JSON.stringify(value), members };
  const attempt = (what: string, run: () => unknown) => {
    try {
      result[what] = run();
    } catch (error) {
      result[what] = String(error);
    }
  };
  attempt("canonical", () => JSON.stringify(schema.canonicalise(struct, JSON.parse(text))));
  if (value === undefined) return result;
  attempt("defaulted", () => {
    const draft = copyJson(value);
    schema.applyDefaults(struct, draft);
    return JSON.stringify(draft);
  });
  const stored = schema.canonicalise(struct, value);
  result.stored = JSON.stringify(stored);
  attempt("protobuf", () => Buffer.from(schema.encodeProtobuf(struct, stored)).toString("hex"));
  const nothing = schema.canonicalise(struct, { metadata: {} }) as Record<string, unknown>;
  const next = schema.inMemory(struct, value) as Record<string, unknown>;
  result.inMemory = JSON.stringify(next);
  const creation = { nothing, next, unowned: schema.emptySet };
  attempt("owned", () => JSON.stringify(schema.createdFields(shapeOf(struct), creation)));
  return result;
}

/** A copy in which members are missing, empty, unknown, in another order and, at a rate, wrong. */
function disturbed(random: Random, value: unknown, wrong: number): unknown {
  if (random.next() < wrong) return anything[Math.floor(random.next() * anything.length)];
  if (Array.isArray(value)) {
    const items = value.map((item) => disturbed(random, item, wrong));
    return random.next() < 0.2 ? [] : random.next() < 0.2 ? [...items, ...items] : items;
  }
  if (typeof value !== "object" || value === null)
    return random.next() < 0.15 ? zeroLike(value) : value;
  const entries = Object.entries(value).filter(() => random.next() < 0.7);
  if (random.next() < 0.2) entries.reverse();
  if (random.next() < wrong) entries.push(["unknown", {}]);
  return Object.fromEntries(
    entries.map(([name, held]) => [
      name,
      random.next() < 0.03 ? null : disturbed(random, held, wrong),
    ]),
  );
}

const anything = [null, 0, 1.5, -1, "", "10", "x", true, [], [null], [{}], {}, { "": {} }];

const zeroLike = (value: unknown): unknown =>
  typeof value === "string" ? "" : typeof value === "number" ? 0 : false;
