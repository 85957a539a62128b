import { difference, type FieldSet, isEmpty } from "./field-set.ts";

/** Whether two sets have the same paths, however many empty nodes they have. */
export const sameSet = (a: FieldSet, b: FieldSet): boolean =>
  isEmpty(difference(a, b)) && isEmpty(difference(b, a));
