import { isReservedName } from "../syntax/escape.ts";
import {
  anyType,
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  stringType,
  structType,
  timestampType,
  uintType,
} from "./cel-type.ts";

/** A type that a schema declares: with its fields, and how large its values can be. */
export interface DeclType {
  readonly name: string;
  readonly type: CelType;
  readonly fields?: ReadonlyMap<string, DeclType>;
  readonly key?: DeclType;
  readonly element?: DeclType;
  /** So many elements, characters or bytes a value may have. */
  readonly maxElements: number;
  /** A value takes at least so many bytes as JSON. */
  readonly minSize: number;
}

/** The largest number of elements where none is known. */
export const unlimited = 2 ** 63;

const simple = (name: string, type: CelType, minSize: number): DeclType => ({
  name,
  type,
  maxElements: 0,
  minSize,
});

export const declAny = simple("any", anyType, 1);
export const declBool = simple("bool", boolType, 4);
export const declBytes = simple("bytes", bytesType, 2);
export const declDouble = simple("double", doubleType, 1);
export const declDuration = simple("duration", durationType, 3);
export const declDyn = simple("dyn", dynType, 1);
export const declInt = simple("int", intType, 1);
export const declString = simple("string", stringType, 2);
export const declTimestamp = simple("timestamp", timestampType, 12);
export const declQuantity = simple("quantity", structType("kubernetes.Quantity"), 8);

export const declList = (element: DeclType, maxElements: number): DeclType => ({
  name: "list",
  type: listType(element.type),
  element,
  maxElements,
  minSize: 2,
});

export const declMap = (key: DeclType, element: DeclType, maxElements: number): DeclType => ({
  name: "map",
  type: mapType(key.type, element.type),
  key,
  element,
  maxElements,
  minSize: 2,
});

export const declObject = (
  name: string,
  fields: Readonly<Record<string, DeclType>> | ReadonlyMap<string, DeclType>,
): DeclType => ({
  name,
  type: structType(name),
  fields: fields instanceof Map ? fields : new Map(Object.entries(fields)),
  maxElements: 0,
  minSize: 2,
});

/** The same type, of values of at most so many elements. */
export const withMaxElements = (type: DeclType, maxElements: number): DeclType => ({
  ...type,
  maxElements,
});

/** The declaration of a type that an expression has; what has no name of its own can be anything. */
export function declFromType(type: CelType): DeclType {
  const [first, second] = type.parameters;
  if (type.kind === "list" && first !== undefined) return declList(declFromType(first), unlimited);
  if (type.kind === "map" && first !== undefined && second !== undefined) {
    return declMap(declFromType(first), declFromType(second), unlimited);
  }
  if (type.kind === "any") return declAny;
  return scalars.find((scalar) => scalar.type === type) ?? declDyn;
}

/** Gives the objects in a type names that say where they are: `root.field.@idx`. */
export function assignTypeNames(type: DeclType, path: string): DeclType {
  if (type.fields !== undefined) {
    const name = type.name === "object" ? path : type.name;
    const fields = [...type.fields].map(
      ([field, inner]) => [field, assignTypeNames(inner, `${name}.${field}`)] as const,
    );
    return { ...declObject(name, new Map(fields)), minSize: type.minSize };
  }
  if (type.element === undefined) return type;
  if (type.key !== undefined) {
    const element = assignTypeNames(type.element, `${path}.@elem`);
    return declMap(type.key, element, type.maxElements);
  }
  return declList(assignTypeNames(type.element, `${path}.@idx`), type.maxElements);
}

/** All the types with a name in some types: objects by theirs, lists and maps by where they are. */
export function declTypesByName(types: readonly DeclType[]): ReadonlyMap<string, DeclType> {
  const named = new Map<string, DeclType>();
  for (const type of types) collect(type, type.name);
  return named;

  function collect(type: DeclType, path: string): void {
    if (type.fields !== undefined) {
      named.set(type.name, type);
      for (const [field, inner] of type.fields) collect(inner, `${path}.${field}`);
    } else if (type.element !== undefined) {
      collect(type.element, `${path}.${type.key === undefined ? "@idx" : "@elem"}`);
      named.set(path, type);
    }
  }
}

/** The type of a field; one whose name is a word of the language is declared by its escaped name. */
export function findDeclField(type: DeclType, field: string): DeclType | undefined {
  const found = type.fields?.get(field);
  if (found !== undefined) return found;
  if (isReservedName(field)) {
    const escaped = type.fields?.get(`__${field}__`);
    if (escaped !== undefined) return escaped;
  }
  return type.key === undefined ? undefined : type.element;
}

/** The types that every schema knows by name. */
export function findScalar(name: string): DeclType | undefined {
  return scalars.find((type) => type.name === name);
}

const scalars: readonly DeclType[] = [
  declBool,
  declBytes,
  declDouble,
  declDuration,
  declInt,
  simple("null_type", nullType, 4),
  declString,
  declTimestamp,
  simple("uint", uintType, 1),
  declList(declAny, unlimited),
  declMap(declAny, declAny, unlimited),
];
