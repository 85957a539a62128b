import { type ReadonlyJsonMap, sameJson } from "../../schema/json/json-value.ts";
import { escapeName, unescapeName } from "../syntax/escape.ts";
import { type CelError, CelMap, type CelValue, orNoSuchOverload } from "../values/cel-value.ts";
import { areEqual } from "../values/equal-values.ts";
import { fromJson } from "../values/json-value.ts";

/** How the members of an object are read. */
export interface MemberShape {
  /** Whether the schema names them: then names are escaped, and null is absent. */
  readonly isNamed: boolean;
  /** Reads the member of a name; undefined for one that the schema does not know. */
  readerOf(name: string): ((json: unknown) => CelValue) | undefined;
}

/** An object or map of JSON as its schema describes it. What the schema does not know counts, but is not found. */
export class SchemaMap extends CelMap {
  readonly json: ReadonlyJsonMap;
  readonly #shape: MemberShape;

  constructor(json: ReadonlyJsonMap, shape: MemberShape) {
    super();
    this.json = json;
    this.#shape = shape;
  }

  override get size(): number {
    return Object.keys(this.json).length;
  }

  override get goType(): string {
    return "*common.unstructuredMap";
  }

  override find(key: CelValue): CelValue | undefined {
    if (typeof key !== "string") return orNoSuchOverload(key);
    const { isNamed } = this.#shape;
    const name = isNamed ? unescapeName(key) : key;
    if (name === undefined || !Object.hasOwn(this.json, name)) return undefined;
    const value = this.json[name];
    if (isNamed && value === null) return undefined;
    return this.#shape.readerOf(name)?.(value);
  }

  override keys(): readonly CelValue[] {
    const { isNamed } = this.#shape;
    const known = Object.keys(this.json).filter((name) => this.#shape.readerOf(name));
    return isNamed ? known.map((name) => escapeName(name) ?? name) : known;
  }

  override equalTo(other: CelValue): boolean | CelError {
    if (!(other instanceof CelMap)) return orNoSuchOverload(other);
    if (this.size !== other.size) return false;
    for (const [name, value] of Object.entries(this.json)) {
      const equal = this.#shape.readerOf(name)
        ? this.#sameMember(name, other)
        : sameUnknown(name, value, other);
      if (equal !== true) return equal;
    }
    return true;
  }

  withoutSchema(): CelValue {
    return fromJson(this.json);
  }

  #sameMember(name: string, other: CelMap): boolean | CelError {
    const [own, others] = [this.find(name), other.find(name)];
    if (own === undefined || others === undefined) return own === others;
    return areEqual(own, others);
  }
}

/** A member that no schema knows is compared as it stands; one that the other map does not have is passed over. */
function sameUnknown(name: string, value: unknown, other: CelMap): boolean | CelError {
  if (!(other instanceof SchemaMap)) return orNoSuchOverload(other);
  return !Object.hasOwn(other.json, name) || sameJson(value, other.json[name]);
}
