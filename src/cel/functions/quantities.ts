import {
  addQuantities,
  compareQuantities,
  negateQuantity,
  quantityOf,
  quantitySign,
} from "../../schema/values/quantity.ts";
import { CelError, type CelValue } from "../values/cel-value.ts";
import { CelQuantity } from "../values/kubernetes-values.ts";
import { type Implementations, one, two } from "./implementation.ts";

/** The functions on quantities. */
export const quantityFunctions: Implementations = {
  string_to_quantity: one(read),
  is_quantity_string: one((text: string) => read(text) instanceof CelQuantity),
  quantity_sign: one(({ quantity }: CelQuantity) => BigInt(quantitySign(quantity))),
  quantity_is_greater_than: two((a: CelQuantity, b: CelQuantity) => compare(a, b) > 0),
  quantity_is_less_than: two((a: CelQuantity, b: CelQuantity) => compare(a, b) < 0),
  quantity_compare_to: two((a: CelQuantity, b: CelQuantity) => BigInt(Math.sign(compare(a, b)))),
  quantity_get_float: one(asDouble),
  quantity_get_int: one(
    (quantity: CelQuantity) => wholeOf(quantity) ?? new CelError("cannot convert value to integer"),
  ),
  quantity_is_integer: one((quantity: CelQuantity) => wholeOf(quantity) !== undefined),
  quantity_add: two(add),
  quantity_add_int: two((a: CelQuantity, b: bigint) => add(a, whole(b))),
  quantity_sub: two((a: CelQuantity, b: CelQuantity) => add(a, negated(b))),
  quantity_sub_int: two((a: CelQuantity, b: bigint) => add(a, negated(whole(b)))),
};

function read(text: string): CelQuantity | CelError {
  try {
    return CelQuantity.read(text);
  } catch (error) {
    return new CelError((error as Error).message);
  }
}

const compare = (a: CelQuantity, b: CelQuantity): number =>
  compareQuantities(a.quantity, b.quantity);

const whole = (value: bigint): CelQuantity => new CelQuantity(quantityOf(value, "DecimalExponent"));

/** As in Go, there is no opposite of the smallest int. */
const negated = ({ quantity, decimals }: CelQuantity): CelQuantity =>
  decimals === undefined && quantity.mantissa === -(2n ** 63n)
    ? new CelQuantity(quantity)
    : new CelQuantity(negateQuantity(quantity), { decimals });

function add(a: CelQuantity, b: CelQuantity): CelValue {
  const quantity = addQuantities(a.quantity, b.quantity);
  const isSmall = a.decimals === undefined && b.decimals === undefined && fits(quantity.mantissa);
  const decimals = isSmall ? undefined : Math.max(decimalsOf(a), decimalsOf(b));
  return new CelQuantity(quantity, { decimals, isComputed: true });
}

const decimalsOf = ({ quantity, decimals }: CelQuantity): number => decimals ?? -quantity.scale;

const fits = (mantissa: number | bigint): boolean =>
  typeof mantissa === "number" || mantissa === BigInt.asIntN(64, mantissa);

/** An amount as an int; undefined where it has a fraction, even one of zeros, or is too large. */
function wholeOf({ quantity: { mantissa, scale }, decimals }: CelQuantity): bigint | undefined {
  if (decimals !== undefined || scale < 0) return undefined;
  if (mantissa === 0) return 0n;
  if (scale > 18) return undefined;
  const value = BigInt(mantissa) * 10n ** BigInt(scale);
  return value === BigInt.asIntN(64, value) ? value : undefined;
}

/** No more digits than these are needed to tell that an amount is too large for a double. */
const mostDigits = 400;

/** An amount as a double. It is computed from the digits that Go holds, and rounded twice. */
function asDouble({ quantity: { mantissa, scale }, decimals }: CelQuantity): number {
  if (decimals === undefined) {
    return scale === 0 ? Number(mantissa) : Number(mantissa) * Number(`1e${scale}`);
  }
  const more = scale + decimals;
  const base = Number(BigInt(mantissa) * 10n ** BigInt(Math.min(more, mostDigits)));
  return decimals === 0 ? base : base * Number(`1e${-decimals}`);
}
