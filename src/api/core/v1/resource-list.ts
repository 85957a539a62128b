import { setMember } from "../../../schema/json/strict-json.ts";
import { Field } from "../../../schema/language/field.ts";
import { mapType, quantityType, type Type } from "../../../schema/language/type.ts";
import { formatQuantity, parseQuantity, roundUpQuantity } from "../../../schema/values/quantity.ts";

/** Amounts by the name of a resource, such as `cpu` or `memory`. */
export type ResourceList = Readonly<Record<string, string>>;
/** Amounts as a client may write them. */
export type ResourceListInput = Readonly<Record<string, string | number>>;

const resourceListType: Type<ResourceList, ResourceListInput> = {
  ...mapType(quantityType, "v1.ResourceName"),
  goType: "v1.ResourceList",
};

/** Amounts of resources; the struct that holds it rounds them by default with `roundUpResources`. */
export const resourceList = (tag: number): Field<ResourceList, "optional", ResourceListInput> =>
  new Field(tag, resourceListType, "omit");

/** Rounds amounts up to thousandths, in place: nothing finer is stored. */
export function roundUpResources(list: Record<string, string | number> | undefined): void {
  if (!list) return;
  for (const [name, amount] of Object.entries(list))
    if (finerThanMilli.test(`${amount}`))
      setMember(list, name, formatQuantity(roundUpQuantity(parseQuantity(`${amount}`), -3)));
}

/** Canonical quantities whose last digit stands for less than a thousandth. */
const finerThanMilli = /[nu]$|e-(?!3$)/;
