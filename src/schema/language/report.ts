import type { VerifySignature } from "../../base/cryptography/verify-signature.ts";
import { goJson } from "../json/go-json.ts";
import { quote } from "../values/quote.ts";
import type { Write } from "./write.ts";

/** Upstream's kinds of field errors, each with the words it begins with. */
const headings = {
  FieldValueNotFound: "Not found",
  FieldValueRequired: "Required value",
  FieldValueDuplicate: "Duplicate value",
  FieldValueInvalid: "Invalid value",
  FieldValueNotSupported: "Unsupported value",
  FieldValueForbidden: "Forbidden",
  FieldValueTooLong: "Too long",
  FieldValueTooMany: "Too many",
  FieldValueTooFew: "Too few",
  FieldValueTypeInvalid: "Invalid value",
  InternalError: "Internal error",
} as const;
export type FieldErrorType = keyof typeof headings;

/** One broken rule: where, and in which words. */
export interface FieldError {
  readonly type: FieldErrorType;
  readonly field: string;
  readonly message: string;
}

/** What rules want to know of the request beside the object. */
export interface ValidationOptions {
  /** The object as it was, in an update. */
  readonly old?: unknown;
  /** The write that the object is validated for. */
  readonly write?: Write;
  /** What whoever runs the server has decided for all objects; nothing if not given. */
  readonly flags?: Readonly<Record<string, boolean>>;
  /** Verifies signatures; rules about signed bytes need it. */
  readonly verifySignature?: VerifySignature;
}

/**
 * A place in an object, and where what is wrong there is reported. Paths are put together only when
 * there is something to report.
 */
export class At {
  readonly parent: At | undefined;
  readonly segment: string | number;
  readonly errors: FieldError[];
  /** What is wrong, and accepted nevertheless, as clients are warned of it. */
  readonly warnings: string[];
  readonly options: ValidationOptions;

  private constructor(
    parent: At | undefined,
    segment: string | number,
    { errors, warnings, options }: Pick<At, "errors" | "warnings" | "options">,
  ) {
    this.parent = parent;
    this.segment = segment;
    this.errors = errors;
    this.warnings = warnings;
    this.options = options;
  }

  /** A new report. */
  static root(options: ValidationOptions = {}): At {
    return new At(undefined, "", { errors: [], warnings: [], options });
  }

  child(name: string): At {
    // What begins with a bracket is a name here, and no key.
    return new At(this, name.startsWith("[") ? `.${name}` : name, this);
  }
  index(i: number): At {
    return new At(this, i, this);
  }
  /** The value of a map under a key: `data[key]`. */
  key(key: string): At {
    return new At(this, `[${key}]`, this);
  }

  get path(): string {
    const { parent, segment } = this;
    const above = parent ? parent.path : "";
    if (typeof segment === "number") return `${above}[${segment}]`;
    if (segment === "") return above;
    if (segment.startsWith(".[")) return above === "" ? segment.slice(1) : above + segment;
    return join(above, segment);
  }

  /** `field` is relative: "" for this place, or `ports[0].name`. */
  required(field = "", detail = ""): void {
    this.#add("FieldValueRequired", field, headingWith("FieldValueRequired", detail));
  }
  invalid(field: string, value: unknown, detail: string): void {
    this.#add("FieldValueInvalid", field, valueWith("FieldValueInvalid", value, detail));
  }
  /** One error for each message. */
  invalidEach(field: string, value: unknown, messages: readonly string[]): void {
    for (const message of messages) this.invalid(field, value, message);
  }
  forbidden(field: string, detail: string): void {
    this.#add("FieldValueForbidden", field, headingWith("FieldValueForbidden", detail));
  }
  notSupported(field: string, value: unknown, values: readonly string[]): void {
    const detail =
      values.length > 0 ? `supported values: ${values.map((v) => quote(v)).join(", ")}` : "";
    this.#add("FieldValueNotSupported", field, valueWith("FieldValueNotSupported", value, detail));
  }
  duplicate(field: string, value: unknown, detail = ""): void {
    this.#add("FieldValueDuplicate", field, valueWith("FieldValueDuplicate", value, detail));
  }
  notFound(field: string, value: unknown, detail = ""): void {
    this.#add("FieldValueNotFound", field, valueWith("FieldValueNotFound", value, detail));
  }
  tooLong(field: string, max: number): void {
    const detail = max >= 0 ? `may not be more than ${max} bytes` : "value is too long";
    this.#add("FieldValueTooLong", field, headingWith("FieldValueTooLong", detail));
  }
  tooMany(field: string, actual: number, max: number): void {
    const detail =
      max >= 0 ? `must have at most ${max} item${max === 1 ? "" : "s"}` : "has too many items";
    const body =
      actual >= 0
        ? valueWith("FieldValueTooMany", actual, detail)
        : headingWith("FieldValueTooMany", detail);
    this.#add("FieldValueTooMany", field, body);
  }
  tooFew(field: string, actual: number, min: number): void {
    const detail =
      min >= 0 ? `must have at least ${min} item${min === 1 ? "" : "s"}` : "has too few items";
    this.#add("FieldValueTooFew", field, valueWith("FieldValueTooFew", actual, detail));
  }
  typeInvalid(field: string, value: unknown, detail: string): void {
    this.#add("FieldValueTypeInvalid", field, valueWith("FieldValueTypeInvalid", value, detail));
  }
  internal(field: string, detail: string): void {
    this.#add("InternalError", field, headingWith("InternalError", detail));
  }

  /** Warns of what is accepted nevertheless. */
  warn(text: string): void {
    this.warnings.push(text);
  }

  #add(type: FieldErrorType, field: string, message: string): void {
    this.errors.push({ type, field: field === "" ? this.path : join(this.path, field), message });
  }
}

/** Given as the value of an error that shows none. */
export const omitted: unique symbol = Symbol("omitted");

const join = (above: string, name: string): string =>
  above === "" || name.startsWith("[") || name.startsWith(".[") ? above + name : `${above}.${name}`;
const headingWith = (type: FieldErrorType, detail: string): string =>
  detail === "" ? headings[type] : `${headings[type]}: ${detail}`;
function valueWith(type: FieldErrorType, value: unknown, detail: string): string {
  if (value === omitted) return headingWith(type, detail);
  return headingWith(type, detail === "" ? showValue(value) : `${showValue(value)}: ${detail}`);
}

/** A value as upstream shows it in an error. */
function showValue(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (value === undefined) return "null";
  if (typeof value === "bigint") return String(value);
  return goJson(value);
}
