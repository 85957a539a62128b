import { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import { DecodeError } from "../../schema/json/decode.ts";
import { At } from "../../schema/language/report.ts";
import type { Definition } from "../language/kind-definition.ts";

/** Returns what a server rejects of a manifest, with its words; nothing if it accepts the manifest. */
export function definitionErrors(definition: Definition, old?: Definition): readonly string[] {
  try {
    const next = read(definition);
    const at = At.root();
    if (old) validateChange(next.object, read(old).object, at);
    else CustomResourceDefinition.validateCreate(next.object, at);
    const found = at.errors.map(({ field, message }) => `${field}: ${message}`);
    return [...next.strict, ...new Set(found)];
  } catch (error) {
    if (error instanceof DecodeError) return [error.message];
    throw error;
  }
}

interface ReadDefinition {
  readonly object: CustomResourceDefinition;
  readonly strict: readonly string[];
}

function read(definition: Definition): ReadDefinition {
  const { form } = CustomResourceDefinition;
  const { value, strict } = form.decodeValue(definition, () => JSON.stringify(definition));
  form.complete(value);
  const object = value as CustomResourceDefinition;
  return { object: { ...object, status: object.status ?? unserved }, strict };
}

const unserved = {
  conditions: [],
  acceptedNames: { plural: "", kind: "" },
  storedVersions: [],
} as const;

/** Validates an update of a definition that is served; what only a server writes is the same in both. */
function validateChange(
  next: CustomResourceDefinition,
  old: CustomResourceDefinition,
  at: At,
): void {
  const server = { uid: "", resourceVersion: "1", creationTimestamp: undefined, generation: 1 };
  const status = { ...old.status, conditions: [established] };
  CustomResourceDefinition.validateUpdate(
    { ...next, metadata: { ...next.metadata, ...server }, status },
    { ...old, metadata: { ...old.metadata, ...server }, status },
    at,
  );
}

const established = {
  type: "Established",
  status: "True",
  lastTransitionTime: "2026-01-01T00:00:00Z",
} as const;
