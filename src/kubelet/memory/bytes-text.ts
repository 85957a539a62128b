import { formatQuantity, quantityOf } from "../../schema/values/quantity.ts";

/** An amount of bytes as a quantity, such as `2Mi`: also in the names of huge pages. */
export const bytesText = (bytes: number): string => formatQuantity(quantityOf(bytes, "BinarySI"));
