import { RuntimeError } from "../../../cri/runtime-service.ts";

/** A configuration that a request must have, with the names in it. */
export function given<T extends { readonly metadata: unknown }>(
  config: T | undefined,
  what: string,
): T {
  if (!config?.metadata)
    throw new RuntimeError("InvalidArgument", `${what} config must include metadata`);
  return config;
}
