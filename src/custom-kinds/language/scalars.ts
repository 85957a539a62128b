import type { JsonSchema } from "../../schema/structural/json-schema.ts";
import { Property } from "./property.ts";

/** A text. */
export class StringProperty extends Property<string> {
  /** The fewest characters. */
  min(length: number): this {
    return this.withSchema({ minLength: length });
  }
  /** The most characters. */
  max(length: number): this {
    return this.withSchema({ maxLength: length });
  }
  /** A regular expression in Go's syntax that some part of the text matches: `^` and `$` bound it. */
  pattern(expression: string | RegExp): this {
    const pattern = typeof expression === "string" ? expression : expression.source;
    return this.withSchema({ pattern });
  }
  /** The form of the text: `date-time`, `ipv4`, `uri`, `uuid`, … */
  format(format: string): this {
    return this.withSchema({ format });
  }
  /** Only these texts are accepted; they are the type. */
  values<const V extends string>(
    ...values: readonly V[]
  ): this & { readonly $value: V; readonly $input: V } {
    return this.withSchema({ enum: values }) as never;
  }
}

/** A number. */
export class NumberProperty extends Property<number> {
  /** The least number. */
  min(minimum: number): this {
    return this.withSchema({ minimum, exclusiveMinimum: undefined });
  }
  /** The greatest number. */
  max(maximum: number): this {
    return this.withSchema({ maximum, exclusiveMaximum: undefined });
  }
  /** Greater than a number. */
  above(minimum: number): this {
    return this.withSchema({ minimum, exclusiveMinimum: true });
  }
  /** Less than a number. */
  below(maximum: number): this {
    return this.withSchema({ maximum, exclusiveMaximum: true });
  }
  multipleOf(divisor: number): this {
    return this.withSchema({ multipleOf: divisor });
  }
  /** Only these numbers are accepted; they are the type. */
  values<const V extends number>(
    ...values: readonly V[]
  ): this & { readonly $value: V; readonly $input: V } {
    return this.withSchema({ enum: values }) as never;
  }
}

/** A value without bounds of its own. */
export class PlainProperty<T, I = T> extends Property<T, I> {
  declare readonly isPlain: true;
}

export const string = (): StringProperty => new StringProperty({ type: "string" });
export const bool = (): PlainProperty<boolean> => new PlainProperty({ type: "boolean" });
export const int32 = (): NumberProperty => new NumberProperty({ type: "integer", format: "int32" });
export const int64 = (): NumberProperty => new NumberProperty({ type: "integer", format: "int64" });
export const double = (): NumberProperty =>
  new NumberProperty({ type: "number", format: "double" });
/** Bytes, as base64. */
export const bytes = (): StringProperty => new StringProperty({ type: "string", format: "byte" });
/** A time in RFC 3339. */
export const time = (): StringProperty =>
  new StringProperty({ type: "string", format: "date-time" });
/** A duration such as `90s` or `1h30m`. */
export const duration = (): StringProperty =>
  new StringProperty({ type: "string", format: "duration" });
export const intOrString = (): PlainProperty<number | string> =>
  new PlainProperty({ "x-kubernetes-int-or-string": true });
/** An amount such as `500m` or `2Gi`. */
export const quantity = (): PlainProperty<number | string> => new PlainProperty(quantitySchema);
/** Any JSON, kept as it is. */
export const json = (): PlainProperty<unknown> =>
  new PlainProperty({ "x-kubernetes-preserve-unknown-fields": true });

const digits = "([0-9]+(\\.[0-9]*)?|\\.[0-9]+)";
/** As the server reads quantities. */
const quantitySchema: JsonSchema = {
  "x-kubernetes-int-or-string": true,
  pattern: `^[+-]?${digits}([KMGTPE]i|[numkMGTPE]|[eE][+-]?${digits})?$`,
};
