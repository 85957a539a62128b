import { RuntimeError } from "../../../cri/runtime-service.ts";

/** A member that a request must have. */
export function given<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new RuntimeError("InvalidArgument", `${what} is missing`);
  return value;
}
