import { apply } from "../../../schema/apply/field-manager.ts";
import type { ReadonlyJsonMap } from "../../../schema/json/json-value.ts";
import { apiVersionOf } from "../../../schema/language/kind.ts";
import { type ApiObject, canonical } from "../../objects/object.ts";
import { type FieldTracking, fieldWriter, type Target } from "./field-management.ts";

export interface ForcedApply {
  readonly object: ApiObject;
  /** The fields to apply, beside those that name the object. */
  readonly config: object;
  readonly fieldManager: string;
}

/** Returns an object after the server itself applied fields to it, taking them from other managers. */
export function forceApply(
  tracking: FieldTracking,
  target: Target,
  { object, config, fieldManager }: ForcedApply,
): ApiObject {
  const { kind } = target;
  const { namespace, name = "" } = object.metadata;
  const whole = {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { name, ...(namespace && { namespace }) },
    ...config,
  };
  const writer = fieldWriter(tracking, target, { fieldManager });
  const live = object as unknown as ReadonlyJsonMap;
  return canonical(kind, apply(writer, live, { config: whole, force: true }));
}
