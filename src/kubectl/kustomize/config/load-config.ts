import { yamlToJson } from "../../../schema/yaml/yaml.ts";
import { prefixed } from "../kustomize-error.ts";
import { decodeStrictly, embedded, field, list, struct, text } from "./decoder.ts";
import { sortFieldSpecs } from "./field-spec.ts";
import { fieldSpecDecoder } from "./kustomization.ts";
import { sortNameReferences, type TransformerConfig } from "./transformer-config.ts";

const specs = field(list(fieldSpecDecoder));

const configDecoder = struct("TransformerConfig", {
  namePrefix: specs,
  nameSuffix: specs,
  namespace: specs,
  commonLabels: specs,
  labels: specs,
  templateLabels: specs,
  commonAnnotations: specs,
  nameReference: field(
    list(
      struct("NameBackReferences", {
        ...embedded("Gvk", {
          group: field(text()),
          version: field(text()),
          kind: field(text()),
        }),
        fieldSpecs: specs,
      }),
    ),
  ),
  varReference: specs,
  images: specs,
  replicas: specs,
});

/** Reads a file that names fields which transformations change. */
export function readTransformerConfig(content: string): TransformerConfig {
  try {
    const config = decodeStrictly(configDecoder, yamlToJson(content));
    const { nameReference, ...lists } = config;
    const sorted = Object.entries(lists).map(([name, list]) => [name, sortFieldSpecs(list)]);
    return {
      ...(Object.fromEntries(sorted) as typeof lists),
      nameReference: sortNameReferences(nameReference),
    };
  } catch (cause) {
    throw prefixed("error unmarshaling JSON: while decoding JSON", cause);
  }
}
