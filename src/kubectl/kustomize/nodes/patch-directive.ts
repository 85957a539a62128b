import { KustomizeError } from "../kustomize-error.ts";
import { clearField } from "./lookup.ts";
import { setElement } from "./set-element.ts";
import { member, type YamlNode } from "./yaml-node.ts";

/** What a patch wants done with what it is for. */
export type Directive = "merge" | "replace" | "delete";

const key = "$patch";

/** Takes `$patch` out of a mapping, or the item that holds nothing else out of a list. */
export function directiveOf(patch: YamlNode): Directive {
  const holder =
    patch.kind === "sequence"
      ? patch.content.find((item) => member(item, key) !== undefined)
      : patch;
  if (holder === undefined || (patch.kind === "sequence" && holder.content.length > 2)) {
    return "merge";
  }
  const value = member(holder, key)?.value;
  if (value === undefined) return "merge";
  if (value !== "merge" && value !== "replace" && value !== "delete") {
    throw new KustomizeError(`unknown patch strategy '${value}'`);
  }
  if (patch.kind === "sequence") setElement(patch, { keys: [key], values: [value] });
  else clearField(patch, key);
  return value;
}
