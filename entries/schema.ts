export {
  ListProperty,
  list,
  MapProperty,
  mapOf,
  StructProperty,
  stringMap,
  strings,
  struct,
} from "../src/custom-kinds/language/containers.ts";
export { type InputOf, kind, type ObjectOf } from "../src/custom-kinds/language/kind.ts";
export type {
  ColumnDefinition,
  ConversionWebhook,
  CustomKind,
  Definition,
  KindDefinition,
  ScaleDefinition,
} from "../src/custom-kinds/language/kind-definition.ts";
export { conditions, embeddedObject } from "../src/custom-kinds/language/kubernetes.ts";
export { type CelRule, type Properties, Property } from "../src/custom-kinds/language/property.ts";
export {
  bool,
  bytes,
  double,
  duration,
  int32,
  int64,
  intOrString,
  json,
  NumberProperty,
  PlainProperty,
  quantity,
  StringProperty,
  string,
  time,
} from "../src/custom-kinds/language/scalars.ts";
export {
  type CheckOptions,
  checked,
  validate,
  withDefaults,
} from "../src/custom-kinds/objects/check-object.ts";
export type { FieldError, FieldErrorType } from "../src/schema/language/report.ts";
export type { JsonSchema } from "../src/schema/structural/json-schema.ts";
