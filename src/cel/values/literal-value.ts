import type { Literal } from "../syntax/ast.ts";
import { CelUint, type CelValue } from "./cel-value.ts";

/** The value of a constant. */
export const literalValue = (literal: Literal): CelValue =>
  literal.type === "uint" ? new CelUint(literal.value) : literal.value;
