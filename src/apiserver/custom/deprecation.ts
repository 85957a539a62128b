import type {
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from "../../api/apiextensions/v1/custom-resource-definition-spec.ts";
import { newestFirst } from "../objects/resources.ts";

/** The deprecation warning of a version; undefined where it is not deprecated. */
export function deprecationOf(
  { group, names, versions }: CustomResourceDefinitionSpec,
  { name, deprecated, deprecationWarning }: CustomResourceDefinitionVersion,
): string | undefined {
  if (!deprecated) return undefined;
  if (deprecationWarning !== undefined) return deprecationWarning;
  const [best] = versions
    .filter((other) => other.served && !other.deprecated && newestFirst(other.name, name) < 0)
    .map((other) => other.name)
    .sort(newestFirst);
  const text = `${group}/${name} ${names.kind} is deprecated`;
  return best === undefined ? text : `${text}; use ${group}/${best} ${names.kind}`;
}
