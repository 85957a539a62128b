import type { JsonSchema } from "../../schema/structural/json-schema.ts";
import type { Definition } from "../language/kind-definition.ts";
import { typesOfVersion } from "./types-of-version.ts";

/** A module of TypeScript with the types of custom kinds, and with a typed kind for each served version. */
export function moduleOfDefinitions(definitions: readonly Definition[]): string {
  const parts = definitions.flatMap((definition) =>
    definition.spec.versions
      .filter(({ served }) => served)
      .map((version) => partOf(definition, version)),
  );
  const body = parts.join("\n\n");
  const types = ["type DynamicObject", "type KubernetesObject"].filter((name) =>
    new RegExp(`\\b${name.slice(5)}\\b`).test(body),
  );
  const names = ["dynamicKind", ...types].join(", ");
  return `// Printed by "wherry crd types": print it again when the definitions change.\nimport { ${names} } from "wherry/client";\n\n${body}\n`;
}

function partOf({ spec }: Definition, version: Definition["spec"]["versions"][number]): string {
  const { kind, plural } = spec.names;
  // The version that objects are stored in has the plain name.
  const name = version.storage ? kind : `${kind}${suffixOf(version.name)}`;
  const schema = (version.schema?.openAPIV3Schema ?? {}) as JsonSchema;
  const { value, input, text } = typesOfVersion(name, schema);
  return `${text}\n\nexport const ${name} = dynamicKind<${value}, ${input}>({
  group: ${JSON.stringify(spec.group)},
  version: ${JSON.stringify(version.name)},
  kind: ${JSON.stringify(kind)},
  plural: ${JSON.stringify(plural)},
  scope: ${JSON.stringify(spec.scope)},
});`;
}

/** `V1Beta1` of `v1beta1`. */
const suffixOf = (version: string): string =>
  version.replaceAll(/[a-z]+/g, (word) => word.charAt(0).toUpperCase() + word.slice(1));
