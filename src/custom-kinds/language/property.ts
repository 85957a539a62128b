import type { JsonSchema } from "../../schema/structural/json-schema.ts";

/** A rule of a value, in CEL: `self` is the value, `oldSelf` what it was before an update. */
export interface CelRule {
  readonly rule: string;
  readonly message?: string | undefined;
  /** An expression whose value is the message. */
  readonly messageExpression?: string | undefined;
  readonly reason?:
    | "FieldValueInvalid"
    | "FieldValueForbidden"
    | "FieldValueRequired"
    | "FieldValueDuplicate"
    | undefined;
  /** The member that the error names, such as `.replicas`. */
  readonly fieldPath?: string | undefined;
  /** Whether the rule also holds for new objects: then `oldSelf` is an optional. */
  readonly optionalOldSelf?: boolean | undefined;
}

/**
 * A value in an object of a custom kind: its schema, and its TypeScript type. `T` is the value as the
 * server stores and serves it, `I` what a client may write. A property never changes: each method
 * returns another one, so that parts can be declared once and used several times.
 */
export abstract class Property<T = unknown, I = T> {
  declare readonly $value: T;
  declare readonly $input: I;
  /** These exist only in the type: whether a client must give it, and whether a default fills it in. */
  declare readonly $required: boolean;
  declare readonly $present: boolean;
  declare readonly $nullable: boolean;
  readonly schema: JsonSchema;
  readonly isRequired: boolean = false;

  constructor(schema: JsonSchema) {
    this.schema = schema;
  }

  /** What the value means: what `kubectl explain` shows. */
  doc(description: string): this {
    return this.withSchema({ description });
  }
  /** A client must give it. */
  required(): this & { readonly $required: true } {
    return Object.assign(this.withSchema({}), { isRequired: true }) as never;
  }
  /** Filled in where it is absent; objects of the cluster that were stored without it have it, too. */
  default(value: this["$input"]): this & { readonly $present: true } {
    return this.withSchema({ default: value }) as never;
  }
  /** May be null, which is kept. */
  nullable(): this & { readonly $nullable: true } {
    return this.withSchema({ nullable: true }) as never;
  }
  /** May not change once it is there. */
  immutable(): this {
    return this.rule("self == oldSelf", "field is immutable");
  }
  /** A rule in CEL, with the message of its error: `rule("self.min <= self.max", "…")`. */
  rule(rule: string, message?: string | Omit<CelRule, "rule">): this {
    const options = typeof message === "string" ? { message } : message;
    const rules = this.schema["x-kubernetes-validations"] ?? [];
    return this.withSchema({ "x-kubernetes-validations": [...rules, { rule, ...options }] });
  }

  protected withSchema(changes: JsonSchema): this {
    const copy = Object.create(Object.getPrototypeOf(this) as object) as this;
    return Object.assign(copy, this, { schema: { ...this.schema, ...changes } });
  }
}

export type Properties = Readonly<Record<string, Property>>;

type RequiredNames<P extends Properties> = {
  [K in keyof P]: P[K]["$required"] extends true ? K : never;
}[keyof P];
type PresentNames<P extends Properties> = {
  [K in keyof P]: P[K]["$present"] extends true ? K : never;
}[keyof P];
type MustBeGiven<P extends Properties> = Exclude<RequiredNames<P>, PresentNames<P>>;
type OrNull<P extends Property, V> = P["$nullable"] extends true ? V | null : V;
/** An item of a list or map. */
export type ItemValue<P extends Property> = OrNull<P, P["$value"]>;
export type ItemInput<P extends Property> = OrNull<P, P["$input"]>;
type Flat<T> = { readonly [K in keyof T]: T[K] };

/** An object with these members, as the server serves it. */
export type ValueOf<P extends Properties> = Flat<
  { [K in RequiredNames<P> | PresentNames<P>]: ItemValue<P[K]> } & {
    [K in Exclude<keyof P, RequiredNames<P> | PresentNames<P>>]?: ItemValue<P[K]> | undefined;
  }
>;
/** The same as a client may write it. */
export type InputOf<P extends Properties> = Flat<
  { [K in MustBeGiven<P>]: ItemInput<P[K]> } & {
    [K in Exclude<keyof P, MustBeGiven<P>>]?: ItemInput<P[K]> | undefined;
  }
>;
