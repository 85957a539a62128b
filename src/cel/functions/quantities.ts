import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type Quantity,
  quantityAsNumber,
  quantityOf,
  quantitySign,
  subtractQuantities,
} from "../../schema/values/quantity.ts";
import { CelError, type CelValue } from "../values/cel-value.ts";
import { CelQuantity } from "../values/kubernetes-values.ts";
import { type Implementations, one, two } from "./implementation.ts";

/** The functions on quantities. */
export const quantityFunctions: Implementations = {
  string_to_quantity: one((text: string) => {
    const quantity = read(text);
    return typeof quantity === "string" ? new CelError(quantity) : new CelQuantity(quantity);
  }),
  is_quantity_string: one((text: string) => typeof read(text) !== "string"),
  quantity_sign: one(({ quantity }: CelQuantity) => BigInt(quantitySign(quantity))),
  quantity_is_greater_than: two((a: CelQuantity, b: CelQuantity) => compare(a, b) > 0),
  quantity_is_less_than: two((a: CelQuantity, b: CelQuantity) => compare(a, b) < 0),
  quantity_compare_to: two((a: CelQuantity, b: CelQuantity) => BigInt(Math.sign(compare(a, b)))),
  quantity_get_float: one(({ quantity }: CelQuantity) => quantityAsNumber(quantity)),
  quantity_get_int: one(
    ({ quantity }: CelQuantity) =>
      wholeOf(quantity) ?? new CelError("cannot convert value to integer"),
  ),
  quantity_is_integer: one(({ quantity }: CelQuantity) => wholeOf(quantity) !== undefined),
  quantity_add: two((a: CelQuantity, b: CelQuantity) => computed(addQuantities, a, b.quantity)),
  quantity_add_int: two((a: CelQuantity, b: bigint) =>
    computed(addQuantities, a, quantityOf(b, "DecimalExponent")),
  ),
  quantity_sub: two((a: CelQuantity, b: CelQuantity) =>
    computed(subtractQuantities, a, b.quantity),
  ),
  quantity_sub_int: two((a: CelQuantity, b: bigint) =>
    computed(subtractQuantities, a, quantityOf(b, "DecimalExponent")),
  ),
};

function read(text: string): Quantity | string {
  try {
    return parseQuantity(text);
  } catch (error) {
    return (error as Error).message;
  }
}

const compare = (a: CelQuantity, b: CelQuantity): number =>
  compareQuantities(a.quantity, b.quantity);

const computed = (
  compute: (a: Quantity, b: Quantity) => Quantity,
  { quantity }: CelQuantity,
  other: Quantity,
): CelValue => new CelQuantity(compute(quantity, other), { isComputed: true });

/** An amount as an int; undefined where it has a fraction, or is too large. */
function wholeOf({ mantissa, scale }: Quantity): bigint | undefined {
  // Small amounts are held in 64 bits: of those with a fraction, even one of zeros is none.
  if (scale < 0) return undefined;
  if (mantissa === 0) return 0n;
  if (scale > 18) return undefined;
  const value = BigInt(mantissa) * 10n ** BigInt(scale);
  return value === BigInt.asIntN(64, value) ? value : undefined;
}
