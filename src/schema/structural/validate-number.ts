import { Findings } from "./findings.ts";
import { type JsonSchema, typesOf } from "./json-schema.ts";

/** The bounds of a number; they themselves must be such numbers, too. */
export function validateNumber(schema: JsonSchema, value: number | bigint, path: string): Findings {
  const { multipleOf, minimum, maximum } = schema;
  const found = new Findings();
  const place = { schema, value, path, found };
  fits(place, value, "Checked");
  if (multipleOf !== undefined) checkMultiple(place, boundOf(place, multipleOf, "MultipleOf"));
  if (minimum !== undefined) {
    const { bound, shown } = boundOf(place, minimum, "Minimum boundary");
    if (schema.exclusiveMinimum ? value <= bound : value < bound)
      found.invalid(
        path,
        value,
        `should be greater than ${schema.exclusiveMinimum ? "" : "or equal to "}${shown}`,
      );
  }
  if (maximum !== undefined) {
    const { bound, shown } = boundOf(place, maximum, "Maximum boundary");
    if (schema.exclusiveMaximum ? value >= bound : value > bound)
      found.invalid(
        path,
        value,
        `should be less than ${schema.exclusiveMaximum ? "" : "or equal to "}${shown}`,
      );
  }
  return found.held();
}

interface Place {
  readonly schema: JsonSchema;
  readonly value: number | bigint;
  readonly path: string;
  readonly found: Findings;
}
interface Bound {
  readonly bound: number;
  /** As Go's `%v` writes it. */
  readonly shown: string;
}

/** A bound as it is compared: as a whole number with one, if it may be. */
function boundOf(place: Place, given: number, what: string): Bound {
  if (!fits(place, given, what) || !isWhole(place.value))
    return { bound: given, shown: goFloat(given) };
  const bound = Math.trunc(given);
  return { bound, shown: BigInt(bound).toString() };
}

const isWhole = (value: number | bigint): boolean =>
  typeof value === "bigint" || Number.isInteger(value);

function checkMultiple({ value, path, found }: Place, { bound, shown }: Bound): void {
  if (bound <= 0) {
    found.fault(path, bound, `factor MultipleOf declared for ${path} must be positive: ${shown}`);
    return;
  }
  if (typeof value === "bigint") {
    if (Number.isInteger(bound) && value % BigInt(bound) !== 0n)
      found.invalid(path, value, `should be a multiple of ${shown}`);
    return;
  }
  const quotient = bound < 1 ? (1 / bound) * value : value / bound;
  if (Math.abs(quotient - Math.round(quotient)) > 1e-9)
    found.invalid(path, value, `should be a multiple of ${shown}`);
}

/** Whether a number is one of the schema's type and format. */
function fits({ schema, path, found }: Place, number: number | bigint, what: string): boolean {
  const { format = "" } = schema;
  const [type = "", ...others] = typesOf(schema);
  if (others.length > 0) return true;
  const width = formats[type]?.includes(format) ? format : "";
  const limit = width === "int32" ? 2 ** 31 : 2 ** 63;
  const isRight =
    type === "integer"
      ? isWhole(number) && number >= -limit && number < limit
      : width !== "float" || Number.isFinite(Math.fround(Number(number)));
  if (isRight) return true;
  const shown = width === "" ? "(default format)" : `with format ${width}`;
  found.composite(`${what} value must be of type ${type} ${shown} in ${path}`);
  return false;
}

const formats: Readonly<Record<string, readonly string[]>> = {
  integer: ["int32", "int64"],
  number: ["float", "double"],
};

function goFloat(value: number): string {
  const [digits, exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  if (value === 0 || (power >= -4 && power < 6)) return String(value);
  const size = String(Math.abs(power)).padStart(2, "0");
  return `${digits}e${power < 0 ? "-" : "+"}${size}`;
}
