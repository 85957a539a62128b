import type { CelType } from "../checking/cel-type.ts";
import type { Reference } from "../checking/checking.ts";
import type { Environment } from "../checking/environment.ts";
import type { Expr } from "../syntax/ast.ts";
import { CelOptional, type CelValue, isError } from "../values/cel-value.ts";
import { type Attribute, resolverOf } from "./attribute.ts";
import type { Run } from "./frame.ts";

/** Why no program can be made of an expression whose types fit. */
export class PlanError extends Error {}

/** A part of an expression, planned: what is known of it already. */
export type Planned =
  | { readonly kind: "constant"; readonly value: CelValue }
  | { readonly kind: "attribute"; readonly attribute: Attribute; readonly isTest: boolean }
  | { readonly kind: "step"; readonly run: Run };

/** The planning of an expression that is under way. */
export interface Planning {
  readonly environment: Environment;
  readonly types: ReadonlyMap<number, CelType>;
  readonly references: ReadonlyMap<number, Reference>;
  plan(expr: Expr): Planned;
  /** Plans a part that is run by itself. */
  runOf(expr: Expr): Run;
  /** A place in which a fold remembers something. */
  newSlot(): number;
  /** Runs something while names mean what a fold remembers. */
  within<T>(names: ReadonlyMap<string, Run>, run: () => T): T;
}

/** What runs a part by itself: reading an attribute costs a step, testing for one does not. */
export function runOf(planned: Planned): Run {
  switch (planned.kind) {
    case "constant": {
      const { value } = planned;
      return () => value;
    }
    case "step":
      return planned.run;
  }
  const { attribute, isTest } = planned;
  const resolve = resolverOf(attribute);
  if (isTest) {
    // Testing is free: the step is charged to the attribute, which a conditional is not charged for.
    const charged = attribute.kind === "conditional" ? -1 : 0;
    return (frame) => {
      const found = resolve(frame);
      frame.charge(charged);
      return found instanceof CelOptional ? found.value !== undefined : found;
    };
  }
  if (attribute.kind === "conditional") return resolve;
  return (frame) => {
    const value = resolve(frame);
    frame.charge(1);
    return value;
  };
}

/** A part as something that steps can follow. */
export function attributeOf(planned: Planned): Attribute {
  if (planned.kind === "attribute") return planned.attribute;
  return { kind: "value", root: runOf(planned), qualifiers: [] };
}

/** The value of a part that is known; an error if that cannot be planned. */
export function known(value: CelValue): Planned {
  if (isError(value)) throw new PlanError(value.message);
  return { kind: "constant", value };
}
