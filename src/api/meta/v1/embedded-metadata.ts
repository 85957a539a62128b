import { decodeJson } from "../../../schema/json/decode.ts";
import { stringifyJson } from "../../../schema/json/strict-json.ts";
import { canonicalise } from "../../../schema/language/normalise.ts";
import { shapeOf } from "../../../schema/language/shape.ts";
import type { Metadata } from "../../../schema/structural/embedded.ts";
import { pathSegmentName } from "../../../schema/values/names.ts";
import { ObjectMeta } from "./object-meta.ts";
import { validateObjectMeta } from "./object-meta-validation.ts";

/** The metadata of objects that are known by a schema, and of those that stand in others. */
export const embeddedMetadata: Metadata = {
  read(value) {
    const { value: metadata, strict } = decodeJson(ObjectMeta, stringifyJson(value));
    return { value: metadata, unknown: strict.flatMap(unknownPath) };
  },
  canonical: (value) => canonicalise(ObjectMeta, value) as object,
  get shape() {
    return shapeOf(ObjectMeta);
  },
  validate(metadata: ObjectMeta, at) {
    // What is not stored on its own needs no name.
    const named = metadata.name ? metadata : { ...metadata, name: "fakename" };
    validateObjectMeta(named, at, { namespaced: !!metadata.namespace, name: pathSegmentName });
  },
};

/** The path in `unknown field "a.b"`. */
function unknownPath(text: string): string[] {
  const quoted = /^unknown field (".*")$/.exec(text)?.[1];
  return quoted === undefined ? [] : [JSON.parse(quoted) as string];
}
