import type { Field, Presence } from "./field.ts";
import type { At } from "./report.ts";

export type Fields = Readonly<Record<string, Field>>;

/** A rule that spans fields: reports what is wrong at `at`. */
export type Rule<T = unknown> = (value: T, at: At) => void;
/** Validation in upstream's order: the name of a field (its own rules and those of what it holds) or a rule. */
export type Step<T = unknown> = (keyof T & string) | Rule<T>;

/**
 * A named message type: its fields in the order in which they are written, the defaults that depend
 * on other fields, and the rules that span them. `T` is the value as stored, `I` as written; `F` is
 * a parameter and not `& { fields: F }`, from which tsc would infer `T` member by member.
 */
export class Struct<T = unknown, I = unknown, F extends Fields = Fields> {
  declare readonly $value: T;
  declare readonly $input: I;
  /** The name in OpenAPI, such as `io.k8s.api.core.v1.Container`. */
  readonly name: string;
  readonly fields: F;
  description = "";
  /** Owned and replaced as a whole, wherever it stands. */
  isAtomic: boolean = false;
  /** Whoever holds it validates it, in a context that only they know. */
  isValidatedElsewhere: boolean = false;
  setDefaults: ((value: never) => void) | undefined;
  steps: readonly Step<never>[] = [];

  constructor(name: string, fields: F) {
    this.name = name;
    this.fields = fields;
  }

  /** The type as Go names it in errors: `v1.Container`. */
  get goName(): string {
    return this.name.split(".").slice(-2).join(".");
  }
  /** The type's own name: `Container`. */
  get shortName(): string {
    return this.name.slice(this.name.lastIndexOf(".") + 1);
  }

  doc(description: string): this {
    this.description = description;
    return this;
  }
  /** Server-side apply owns and replaces it as a whole. */
  atomic(): this {
    this.isAtomic = true;
    return this;
  }
  /** Neither its rules nor those of what it holds are run: whoever holds it calls a function for that. */
  validatedElsewhere(): this {
    this.isValidatedElsewhere = true;
    return this;
  }
  /** Defaults that depend on other fields; they run before the fields' own and those of what it holds. */
  defaults(set: (value: Draft<I>) => void): this {
    this.setDefaults = set as (value: never) => void;
    return this;
  }
  /**
   * Rules that span fields, and the order of validation: fields that are not named here are
   * validated first, in order of declaration; then these steps, one after the other.
   */
  rules(...steps: readonly Step<T>[]): this {
    this.steps = steps as readonly Step<never>[];
    return this;
  }
}

/** An object that is still being made. */
export type Draft<T> = T extends readonly (infer E)[]
  ? Draft<E>[]
  : T extends object
    ? { -readonly [K in keyof T]: Draft<T[K]> }
    : T;

type With<F extends Fields, P extends Presence> = {
  [K in keyof F]: F[K]["$presence"] extends P ? K : never;
}[keyof F];
type Flat<T> = { readonly [K in keyof T]: T[K] };

/** The value as the server stores and serves it. */
export type Value<F extends Fields> = Flat<
  { [K in With<F, "required" | "present">]: F[K]["$value"] } & {
    [K in With<F, "optional">]?: F[K]["$value"] | undefined;
  }
>;
/** The value as a client may write it. */
export type Input<F extends Fields> = Flat<
  { [K in With<F, "required">]: F[K]["$input"] } & {
    [K in With<F, "present" | "optional">]?: F[K]["$input"] | undefined;
  }
>;
export type Infer<S extends { readonly $value: unknown }> = S["$value"];
export type InferInput<S extends { readonly $input: unknown }> = S["$input"];

/** Declares a message type. */
export function struct<const F extends Fields>(
  name: string,
  fields: F,
): Struct<Value<F>, Input<F>, F> {
  return new Struct(name, fields);
}
