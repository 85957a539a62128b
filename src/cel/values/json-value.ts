import type { ReadonlyJsonMap } from "../../schema/json/json-value.ts";
import { CelList, CelMap, type CelValue } from "./cel-value.ts";

/** A value of JSON as expressions see it where no schema tells more: whole numbers are ints. */
export function fromJson(value: unknown): CelValue {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "bigint":
      return value;
    case "number":
      return Number.isSafeInteger(value) ? BigInt(value) : value;
    case "object":
      if (value === null) return null;
      return Array.isArray(value) ? new JsonList(value) : new JsonObject(value as ReadonlyJsonMap);
    default:
      return null;
  }
}

/** The JSON that a list or a map shows; undefined if it was not made from any. */
export const jsonBehind = (value: CelValue): unknown =>
  value instanceof JsonList || value instanceof JsonObject ? value.json : undefined;

/** A list of JSON, whose elements are adapted when they are read. */
class JsonList extends CelList {
  readonly json: readonly unknown[];

  constructor(json: readonly unknown[]) {
    super();
    this.json = json;
  }

  override get size(): number {
    return this.json.length;
  }

  override at(index: number): CelValue {
    return fromJson(this.json[index]);
  }
}

/** An object of JSON, whose members are adapted when they are read. */
class JsonObject extends CelMap {
  readonly json: ReadonlyJsonMap;

  constructor(json: ReadonlyJsonMap) {
    super();
    this.json = json;
  }

  override get size(): number {
    return Object.keys(this.json).length;
  }

  override find(key: CelValue): CelValue | undefined {
    if (typeof key !== "string" || !Object.hasOwn(this.json, key)) return undefined;
    return fromJson(this.json[key]);
  }

  override keys(): readonly CelValue[] {
    return Object.keys(this.json);
  }
}
