/**
 * A value of an expression. Whole numbers are `bigint`, a `number` is a double; an error is a value,
 * too, because `&&`, `||` and `optional` may do without it.
 */
export type CelValue = boolean | bigint | number | string | null | Uint8Array | CelData;

/** A value that JavaScript has no type for. */
export abstract class CelData {
  /** The name of its type. */
  abstract readonly typeName: string;
}

/** Why an expression has no value. */
export class CelError extends CelData {
  override readonly typeName = "error";
  readonly message: string;

  constructor(message: string) {
    super();
    this.message = message;
  }
}

/** A whole number without a sign. */
export class CelUint extends CelData {
  override readonly typeName = "uint";
  readonly value: bigint;

  constructor(value: bigint) {
    super();
    this.value = value;
  }
}

/** A span of time in nanoseconds. */
export class CelDuration extends CelData {
  override readonly typeName = "google.protobuf.Duration";
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    super();
    this.nanos = nanos;
  }
}

/** A point in time; it is written with the offset that it was read with. */
export class CelTimestamp extends CelData {
  override readonly typeName = "google.protobuf.Timestamp";
  readonly seconds: bigint;
  readonly nanos: number;
  /** Minutes east of Greenwich. */
  readonly offset: number;

  constructor(seconds: bigint, nanos: number, offset = 0) {
    super();
    this.seconds = seconds;
    this.nanos = nanos;
    this.offset = offset;
  }
}

/** A type as a value. */
export class CelTypeValue extends CelData {
  override readonly typeName = "type";
  readonly name: string;

  constructor(name: string) {
    super();
    this.name = name;
  }
}

/** A value that may be missing. */
export class CelOptional extends CelData {
  override readonly typeName = "optional_type";
  readonly value: CelValue | undefined;

  constructor(value?: CelValue) {
    super();
    this.value = value;
  }
}

/** The optional without a value. */
export const optionalNone = new CelOptional();

/** A list. What it holds may be adapted when it is read. */
export abstract class CelList extends CelData {
  override readonly typeName = "list";
  abstract readonly size: number;
  /** The element at an index that is in the list. */
  abstract at(index: number): CelValue;
  /** Whether it equals another value, where its elements and their order are not all that counts. */
  equalTo?(other: CelValue): boolean | CelError;
  /** What comes of adding another value, where that is not just both after each other. */
  plus?(other: CelValue): CelValue;
  /** The name that Go has for its type. */
  get goType(): string {
    return "*types.baseList";
  }
}

/** A map. What it holds may be adapted when it is read. */
export abstract class CelMap extends CelData {
  override readonly typeName = "map";
  abstract readonly size: number;
  /** The value of a key; an error if the map cannot have such keys. */
  abstract find(key: CelValue): CelValue | undefined;
  abstract keys(): readonly CelValue[];
  /** Whether it contains a key; where keys that it does not contain have values, too, that differs. */
  has(key: CelValue): boolean {
    return this.find(key) !== undefined;
  }
  /** Whether it equals another value, where its entries are not all that counts. */
  equalTo?(other: CelValue): boolean | CelError;
  /** The name that Go has for its type. */
  get goType(): string {
    return "*types.baseMap";
  }
}

/** A value with fields of its own: a message that an expression made. */
export class CelObject extends CelData {
  override readonly typeName: string;
  readonly fields: ReadonlyMap<string, CelValue>;

  constructor(typeName: string, fields: ReadonlyMap<string, CelValue>) {
    super();
    this.typeName = typeName;
    this.fields = fields;
  }
}

/** A value that only functions look into: an address, a quantity, a check of rights. */
export abstract class CelOpaque extends CelData {
  /** Whether it equals another value; an error if they cannot be compared. */
  abstract equals(other: CelValue): boolean | CelError;
  /** Its size as the cost of calls counts it. */
  get size(): number | undefined {
    return undefined;
  }
  /** The name that Go has for its type. */
  abstract readonly goType: string;
  /** The type of what Go holds in it, where CEL cannot adapt that to a value again. */
  readonly nativeType?: string;
  /** How Go prints it. */
  abstract override toString(): string;
}

export const isError = (value: CelValue): value is CelError => value instanceof CelError;
export const noSuchOverload = new CelError("no such overload");

/** The error itself, where one operand is none of what it must be. */
export const orNoSuchOverload = (value: CelValue): CelError =>
  isError(value) ? value : noSuchOverload;

/** The name of a value's type. */
export function typeNameOf(value: CelValue): string {
  switch (typeof value) {
    case "string":
      return "string";
    case "bigint":
      return "int";
    case "boolean":
      return "bool";
    case "number":
      return "double";
  }
  if (value === null) return "null_type";
  return value instanceof CelData ? value.typeName : "bytes";
}
