import { applyDefaults } from "../../../schema/language/defaults.ts";
import { normalise } from "../../../schema/language/normalise.ts";
import { At } from "../../../schema/language/report.ts";
import { write } from "../../write.test-support.ts";
import { CustomResourceDefinition } from "./custom-resource-definition.ts";
import type { JSONSchemaProps } from "./json-schema-props.ts";

type Json = Record<string, unknown>;
interface Changes {
  readonly metadata?: Json;
  readonly spec?: Json;
  readonly status?: Json;
}

/** A version that is right, but for what is given. */
export const version = (changes: Json = {}): Json => ({
  name: "v1",
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: "object" } },
  ...changes,
});

/** A version whose objects have a spec of this schema. */
export const withSpec = (spec: JSONSchemaProps, changes: Json = {}): Json =>
  version({
    schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
    ...changes,
  });

/** A definition of apples that is right, but for what is given. */
export function definition({ metadata, spec, status }: Changes = {}): CustomResourceDefinition {
  const given = {
    kind: "CustomResourceDefinition",
    apiVersion: "apiextensions.k8s.io/v1",
    metadata: { name: "apples.example.com", ...metadata },
    spec: {
      group: "example.com",
      names: { plural: "apples", kind: "Apple" },
      scope: "Namespaced",
      versions: [version()],
      ...spec,
    },
    ...(status && { status }),
  };
  const object = normalise(CustomResourceDefinition.struct, given)?.value;
  if (!object) throw new Error("the definition is not as declared");
  applyDefaults(CustomResourceDefinition.struct, object);
  return object;
}

/** What is said of a new definition: `field: message`. */
export function createErrors(changes: Changes): readonly string[] {
  const object = definition(changes);
  const at = At.root();
  CustomResourceDefinition.strategy.prepareCreate?.(object as never, write);
  CustomResourceDefinition.validateCreate(object, at);
  return texts(at);
}

/** What is said of an update. */
export function updateErrors(before: Changes, after: Changes): readonly string[] {
  const old = definition(before);
  const object = definition({ ...after, metadata: { resourceVersion: "1", ...after.metadata } });
  const at = At.root({ old });
  CustomResourceDefinition.strategy.prepareUpdate?.(object as never, old as never, write);
  CustomResourceDefinition.validateUpdate(object, old, at);
  return texts(at);
}

const texts = ({ errors }: At): readonly string[] =>
  errors.map(({ field, message }) => `${field}: ${message}`);
