import {
  type InputOf,
  type ItemInput,
  type ItemValue,
  type Properties,
  Property,
  type ValueOf,
} from "./property.ts";
import { string } from "./scalars.ts";

/** An object with members that are named. */
export class StructProperty<P extends Properties = Properties> extends Property<
  ValueOf<P>,
  InputOf<P>
> {
  /** Its members, in order: spread them into another struct to extend it. */
  readonly properties: P;

  constructor(properties: P) {
    const required = Object.keys(properties).filter((name) => properties[name]?.isRequired);
    super({
      type: "object",
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, { schema }]) => [name, schema]),
      ),
      ...(required.length > 0 && { required }),
    });
    this.properties = properties;
  }

  /** Server-side apply owns and replaces it as a whole. */
  atomic(): this {
    return this.withSchema({ "x-kubernetes-map-type": "atomic" });
  }
  /** Members that are not declared are kept, not removed. */
  open(): this {
    return this.withSchema({ "x-kubernetes-preserve-unknown-fields": true });
  }
}

/** A list of values of one type. */
export class ListProperty<T, I = T> extends Property<readonly T[], readonly I[]> {
  /** The fewest items. */
  min(items: number): this {
    return this.withSchema({ minItems: items });
  }
  /** The most items. */
  max(items: number): this {
    return this.withSchema({ maxItems: items });
  }
  /** Items are unique; server-side apply merges them. */
  set(): this {
    return this.withSchema({ "x-kubernetes-list-type": "set" });
  }
  /** Items are identified by these members; server-side apply merges them. */
  keyedBy(...keys: readonly (keyof T & string)[]): this {
    return this.withSchema({
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": keys,
    });
  }
  /** Server-side apply owns and replaces the list as a whole, as it does unless told otherwise. */
  atomic(): this {
    return this.withSchema({ "x-kubernetes-list-type": "atomic" });
  }
}

/** An object with any members, all of one type. */
export class MapProperty<T, I = T> extends Property<
  Readonly<Record<string, T>>,
  Readonly<Record<string, I>>
> {
  /** The fewest members. */
  min(members: number): this {
    return this.withSchema({ minProperties: members });
  }
  /** The most members. */
  max(members: number): this {
    return this.withSchema({ maxProperties: members });
  }
  /** Server-side apply owns and replaces it as a whole. */
  atomic(): this {
    return this.withSchema({ "x-kubernetes-map-type": "atomic" });
  }
}

export const struct = <const P extends Properties>(properties: P): StructProperty<P> =>
  new StructProperty(properties);
export const list = <P extends Property>(of: P): ListProperty<ItemValue<P>, ItemInput<P>> =>
  new ListProperty({ type: "array", items: of.schema });
export const mapOf = <P extends Property>(of: P): MapProperty<ItemValue<P>, ItemInput<P>> =>
  new MapProperty({ type: "object", additionalProperties: of.schema });
export const strings = (): ListProperty<string> => list(string());
export const stringMap = (): MapProperty<string> => mapOf(string());
