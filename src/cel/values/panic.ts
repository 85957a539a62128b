import { type CelValue, isError } from "./cel-value.ts";
import { goTypeOf } from "./go-type.ts";

/** What upstream ends an evaluation with where a value is of no type that it expects. */
export class Panic extends Error {
  constructor(message: string) {
    super(`internal error: ${message}`);
  }
}

const unhashable: ReadonlySet<string> = new Set(["types.Bytes", "cel.Semver", "cel.Format"]);

/** Panics for a value that Go cannot look for in a map. */
export function mustBeHashable(value: CelValue): void {
  if (typeof value !== "object" || value === null || isError(value)) return;
  const type = goTypeOf(value);
  if (unhashable.has(type)) throw new Panic(`runtime error: hash of unhashable type ${type}`);
}
