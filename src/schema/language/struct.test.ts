import { expect, expectTypeOf, test } from "vitest";
import { int32, list, message, string, strings, value } from "./field.ts";
import { type Infer, type InferInput, struct } from "./struct.ts";

const Part = struct("io.k8s.api.core.v1.Part", { name: string(1).required() });
const Thing = struct("io.k8s.api.core.v1.Thing", {
  name: string(1).required(),
  mode: string(2).values("a", "b").default("a"),
  size: int32(3),
  part: message(4, Part),
  held: value(5, Part),
  words: strings(6),
});

test("Struct: its name is Go's in errors, and short alone", () => {
  expect([Thing.goName, Thing.shortName]).toEqual(["v1.Thing", "Thing"]);
});

test("Struct: the type of its values follows from its fields", () => {
  expectTypeOf<Infer<typeof Thing>>().toEqualTypeOf<{
    readonly name: string;
    readonly mode: "a" | "b";
    readonly held: Infer<typeof Part>;
    readonly size?: number | undefined;
    readonly part?: Infer<typeof Part> | undefined;
    readonly words?: readonly string[] | undefined;
  }>();
  expectTypeOf<InferInput<typeof Thing>>().toExtend<{ readonly name: string }>();
  const least: InferInput<typeof Thing> = { name: "x" };
  expect(Object.keys(Thing.fields)).toEqual(["name", "mode", "size", "part", "held", "words"]);
  expect(least).toEqual({ name: "x" });
});

test("Struct: what is said of it is kept", () => {
  const said = struct("a.B", {}).doc("text").atomic().validatedElsewhere();
  expect([said.description, said.isAtomic, said.isValidatedElsewhere]).toEqual([
    "text",
    true,
    true,
  ]);
});

test("Struct: names that its fields do not have are type errors", () => {
  // Not run: only that each is refused counts.
  const refused = () => {
    // @ts-expect-error: a step names a field
    Thing.rules("nmae");
    // @ts-expect-error: a rule sees the value as stored
    Thing.rules(({ nmae }) => nmae);
    // @ts-expect-error: a default is one of the values
    string(1).values("a", "b").default("c");
    // @ts-expect-error: items are identified by what they have
    list(1, Part).keyedBy("nmae");
    // @ts-expect-error: a required field is given
    const least: InferInput<typeof Thing> = {};
    // @ts-expect-error: a struct has the fields that were declared
    return [least, Thing.fields.nmae];
  };
  expect(refused).toBeTypeOf("function");
});
