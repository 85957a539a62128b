import type { FieldShape, Shape } from "../language/shape.ts";
import { quote } from "../values/quote.ts";
import { StrategicMergeError } from "./strategic-merge-error.ts";

/** What is known of the type of a value. */
export interface TypeInfo {
  readonly shape: Shape;
  /** Whether Go holds it behind a pointer, which one error tells. */
  readonly isPointer?: boolean | undefined;
}

/** How a member of a map is patched. */
export interface MemberInfo {
  /** The type of the member, or of its items where it was looked up as a list. */
  readonly type: TypeInfo;
  readonly strategy: "" | "merge" | "replace";
  /** Whether members that a patch does not list are dropped. */
  readonly retainKeys: boolean;
  /** The member by which items of a list are matched; "" if they are matched by value. */
  readonly mergeKey: string;
}

/** How the member of a struct is patched; throws if the type is no struct or has no such field. */
export function lookupMember({ shape }: TypeInfo, name: string): MemberInfo {
  return memberInfo(fieldOf(shape, name));
}

/** The same for a member that is a list, with the type of its items. */
export function lookupList(type: TypeInfo, name: string): MemberInfo {
  const field = fieldOf(type.shape, name);
  return { ...memberInfo(field), type: itemType(type, field) };
}

function memberInfo({
  shape,
  isPointer,
  patchStrategy,
  patchMergeKey = "",
}: FieldShape): MemberInfo {
  const parts: readonly string[] = patchStrategy?.split(",") ?? [];
  return {
    type: { shape, isPointer },
    strategy: (parts.find((part) => part !== "retainKeys") ?? "") as MemberInfo["strategy"],
    retainKeys: parts.includes("retainKeys"),
    mergeKey: patchMergeKey,
  };
}

function itemType(parent: TypeInfo, { shape, isPointer }: FieldShape): TypeInfo {
  const isStruct = shape.map?.goName !== undefined;
  if (shape.list && !isStruct) {
    const { items } = shape.list;
    if (items.list && !items.map && !items.scalar)
      throw new StrategicMergeError("unexpected slice of slice");
    return { shape: items };
  }
  if (isPointer) return { shape };
  const kind = parent.isPointer ? "ptr" : "struct";
  throw new StrategicMergeError(`expected slice or array type, but got: ${kind}`);
}

/** Names are compared as Go's JSON does: exactly first, then without regard to case. */
function fieldOf(shape: Shape, name: string): FieldShape {
  const { map } = shape;
  if (!map || (map.goName === undefined && map.fields.size === 0))
    throw new StrategicMergeError(
      `merging an object in json but data type is not struct, instead is: ${goKind(shape)}`,
    );
  const field = map.fields.get(name) ?? foldedField(map.fields, name.toLowerCase());
  if (!field)
    throw new StrategicMergeError(
      `unable to find api field in struct ${map.goName ?? ""} for the json field ${quote(name)}`,
    );
  return field;
}

function foldedField(
  fields: ReadonlyMap<string, FieldShape>,
  lowerCase: string,
): FieldShape | undefined {
  for (const [name, field] of fields) if (name.toLowerCase() === lowerCase) return field;
  return undefined;
}

/** What Go calls the kind of a type. */
export function goKind({ map, list, scalar }: Shape): string {
  if (map) return map.goName !== undefined || map.fields.size > 0 ? "struct" : "map";
  if (list) return "slice";
  if (scalar === "boolean") return "bool";
  return scalar === "numeric" ? "int64" : "string";
}
