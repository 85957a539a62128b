import { decodeJson } from "../../../schema/decode.ts";
import { pathSegmentName } from "../../../schema/names.ts";
import { canonicalise } from "../../../schema/normalise.ts";
import { shapeOf } from "../../../schema/shape.ts";
import { stringifyJson } from "../../../schema/strict-json.ts";
import type { Metadata } from "../../../schema/structural/embedded.ts";
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
