import { decodeJson } from "../json/decode.ts";
import { int64, string, stringMap } from "../language/field.ts";
import { canonicalise } from "../language/normalise.ts";
import { shapeOf } from "../language/shape.ts";
import { struct } from "../language/struct.ts";
import type { Metadata } from "./embedded.ts";

const ObjectMeta = struct("io.test.v1.ObjectMeta", {
  name: string(1),
  generation: int64(2),
  labels: stringMap(3),
});

/** A little metadata: the name of an object must not be `bad`. */
export const metadata: Metadata = {
  read(value) {
    const { value: read, strict } = decodeJson(ObjectMeta, JSON.stringify(value));
    const unknown = strict.map((text) => text.replace(/^unknown field "(.*)"$/, "$1"));
    return { value: read, unknown };
  },
  canonical: (value) => canonicalise(ObjectMeta, value) as object,
  shape: shapeOf(ObjectMeta),
  validate({ name }: { readonly name?: string }, at) {
    if (name === "bad") at.invalid("name", name, "is bad");
  },
};
