import type { CustomResourceDefinitionVersion } from "../../api/apiextensions/v1/custom-resource-definition-spec.ts";
import { type JsonPath, parseJsonPath } from "../../schema/json/json-path.ts";
import type { ServedKind } from "../../schema/language/kind.ts";

/** The fields that objects of a version can be selected on, by their name in selectors. */
export const selectableFields = ({
  selectableFields: fields = [],
}: CustomResourceDefinitionVersion): ServedKind["selectableFields"] =>
  Object.fromEntries(
    fields.map(({ jsonPath }) => {
      const path = parseJsonPath(jsonPath);
      return [jsonPath.replace(/^\./, ""), (object: never) => textAt(path, object)];
    }),
  );

/** A value as selectors compare it: nothing is the empty text. */
function textAt(path: JsonPath, object: unknown): string {
  const [value] = path(object);
  return value === undefined || value === null ? "" : String(value);
}
