import { expectKind } from "./lookup.ts";
import { isEmpty, isMissing, member, present, textOf, type YamlNode } from "./yaml-node.ts";

interface ElementChange {
  /** The fields that tell items apart; an empty name stands for the item itself. */
  readonly keys: readonly string[];
  readonly values: readonly string[];
  /** Takes the place of items that match, or comes last; undefined removes them. */
  readonly element?: YamlNode | undefined;
}

/** Replaces, adds or removes an item of a list. Items that are empty are dropped. */
export function setElement(list: YamlNode, { keys, values, element }: ElementChange): void {
  expectKind(list, "sequence");
  const byField = (keys[0] ?? "") !== "" && (values[0] ?? "") !== "";
  let found = false;
  const content = list.content.flatMap((item) => {
    if (isMissing(item) || (item.kind === "mapping" && isEmpty(item))) return [];
    if (item.kind !== "mapping" && byField) return item;
    if (!matches(item, keys, values)) return values.length > 0 ? item : [];
    found = true;
    return element ?? [];
  });
  list.content = content;
  const added = present(element);
  if (!found && added !== undefined) content.push(added);
}

/** A key that has no value here stands for the one before it. */
function matches(item: YamlNode, keys: readonly string[], values: readonly string[]): boolean {
  let matched = false;
  for (const [i, key] of keys.entries()) {
    const value = values[i];
    if (value !== undefined) matched = hasValue(item, key, value);
    if (!matched) return false;
  }
  return true;
}

function hasValue(item: YamlNode, key: string, value: string): boolean {
  if (key === "") {
    expectKind(item, "scalar");
    return textOf(item) === value;
  }
  expectKind(item, "mapping");
  const field = member(item, key);
  return field !== undefined && (value === "" || field.value === value);
}

/** The first item whose fields have the values. */
export function findElement(
  list: YamlNode | undefined,
  keys: readonly string[],
  values: readonly string[],
): YamlNode | undefined {
  if (list?.kind !== "sequence") return undefined;
  if ((keys[0] ?? "") === "") return list.content.find((item) => item.value === (values[0] ?? ""));
  return list.content.find(
    (item) =>
      item.kind === "mapping" && keys.every((key, i) => member(item, key)?.value === values[i]),
  );
}
