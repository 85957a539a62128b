import { isMap, type ReadonlyJsonMap } from "../../../schema/json/json-value.ts";
import { yamlToJson } from "../../../schema/yaml/yaml.ts";
import { emptyGvk, type Gvk } from "../resources/gvk.ts";
import { type FieldSpec, fieldSpec } from "./field-spec.ts";
import { emptyConfig, mergeConfigs, type TransformerConfig } from "./transformer-config.ts";

/** The fields that the OpenAPI definitions of custom kinds say are names, labels or references. */
export function readCrdConfig(content: string): TransformerConfig {
  const definitions = yamlToJson(content);
  if (!isMap(definitions)) return emptyConfig;
  let config = emptyConfig;
  for (const [name, definition] of Object.entries(definitions)) {
    if (!isKind(propertiesOf(definition))) continue;
    const gvk = { ...emptyGvk, kind: name.split(".").at(-1) ?? "" };
    config = collect(config, { gvk, definitions, path: [], name });
  }
  return config;
}

const isKind = (properties: ReadonlyJsonMap): boolean =>
  ["kind", "apiVersion", "metadata"].every((name) => Object.hasOwn(properties, name));

function propertiesOf(definition: unknown): ReadonlyJsonMap {
  const schema = isMap(definition) ? (definition.Schema ?? definition.schema) : undefined;
  return isMap(schema) && isMap(schema.properties) ? schema.properties : {};
}

interface Walk {
  readonly gvk: Gvk;
  readonly definitions: ReadonlyJsonMap;
  readonly path: readonly string[];
  readonly name: string;
}

function collect(config: TransformerConfig, walk: Walk): TransformerConfig {
  const definition = Object.hasOwn(walk.definitions, walk.name)
    ? walk.definitions[walk.name]
    : undefined;
  let result = config;
  for (const [name, property] of Object.entries(propertiesOf(definition))) {
    if (!isMap(property)) continue;
    const path = [...walk.path, name];
    result = mergeConfigs(result, ofProperty(property, { gvk: walk.gvk, path }));
    if (typeof property.$ref === "string" && path.length < maxDepth) {
      result = collect(result, { ...walk, path, name: property.$ref });
    }
  }
  return result;
}

/** A definition that refers to itself ends here. */
const maxDepth = 20;

function ofProperty(
  property: ReadonlyJsonMap,
  { gvk, path }: { gvk: Gvk; path: readonly string[] },
): TransformerConfig {
  const spec = (...more: string[]): FieldSpec => fieldSpec([...path, ...more].join("/"), gvk);
  const value = (name: string): string | undefined => {
    const found = property[`x-kubernetes-${name}`];
    return typeof found === "string" ? found : undefined;
  };
  const kind = value("object-ref-kind");
  const version = value("object-ref-api-version");
  const reference = version !== undefined && kind !== undefined;
  const nameKey = value("object-ref-name-key") ?? "name";
  return {
    ...emptyConfig,
    commonAnnotations: value("annotation") === undefined ? [] : [spec()],
    commonLabels: value("label-selector") === undefined ? [] : [spec()],
    namePrefix: value("identity") === undefined ? [] : [spec()],
    nameReference: reference ? [{ group: "", version, kind, fieldSpecs: [spec(nameKey)] }] : [],
  };
}
