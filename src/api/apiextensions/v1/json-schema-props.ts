import {
  bool,
  double,
  Field,
  int64,
  json,
  list,
  listOf,
  mapOf,
  message,
  named,
  optional,
  string,
  strings,
} from "../../../schema/language/field.ts";
import { type Infer, type Struct, struct } from "../../../schema/language/struct.ts";
import {
  boolType,
  eitherType,
  jsonType,
  listType,
  stringType,
  structType,
  type Type,
} from "../../../schema/language/type.ts";
import type { JsonSchema } from "../../../schema/structural/json-schema.ts";
import { apiextensions } from "./package.ts";

export const ExternalDocumentation = struct(`${apiextensions}.ExternalDocumentation`, {
  description: string(1).doc("What is found there."),
  url: string(2).doc("Where it is."),
}).doc("Where more is written on a value.");
export interface ExternalDocumentation extends Infer<typeof ExternalDocumentation> {}

export const ValidationRule = struct(`${apiextensions}.ValidationRule`, {
  rule: string(1).always().expected().doc("A CEL expression that is true of every valid value."),
  message: string(2).doc("What is said of a value of which it is not true."),
  messageExpression: string(3).doc("A CEL expression that gives the message."),
  reason: named(4, "v1.FieldValueErrorReason")
    .pointer()
    .known("FieldValueRequired", "FieldValueDuplicate", "FieldValueInvalid", "FieldValueForbidden")
    .doc("Which kind of error it is."),
  fieldPath: string(5).doc("The field that the error names, relative to the value."),
  optionalOldSelf: bool(6)
    .pointer()
    .doc("Whether the rule also runs where there is no older value."),
}).doc("A rule of values, written in CEL.");
export interface ValidationRule extends Infer<typeof ValidationRule> {}

/** Where schemas hold schemas, those of definitions hold their own; the rest is what all have. */
type OfValues = Omit<
  JsonSchema,
  | "type"
  | "items"
  | "allOf"
  | "oneOf"
  | "anyOf"
  | "not"
  | "properties"
  | "additionalProperties"
  | "x-kubernetes-validations"
>;

/** A schema of JSON values, as a custom resource definition has it. */
export interface JSONSchemaProps extends OfValues {
  readonly id?: string | undefined;
  readonly $schema?: string | undefined;
  readonly $ref?: string | undefined;
  readonly type?: string | undefined;
  readonly items?: JSONSchemaProps | readonly JSONSchemaProps[] | undefined;
  readonly allOf?: readonly JSONSchemaProps[] | undefined;
  readonly oneOf?: readonly JSONSchemaProps[] | undefined;
  readonly anyOf?: readonly JSONSchemaProps[] | undefined;
  readonly not?: JSONSchemaProps | undefined;
  readonly properties?: Schemas | undefined;
  readonly additionalProperties?: JSONSchemaProps | boolean | undefined;
  readonly patternProperties?: Schemas | undefined;
  readonly dependencies?: Readonly<Record<string, JSONSchemaProps | readonly string[]>> | undefined;
  readonly additionalItems?: JSONSchemaProps | boolean | undefined;
  readonly definitions?: Schemas | undefined;
  readonly externalDocs?: ExternalDocumentation | undefined;
  readonly example?: unknown;
  readonly "x-kubernetes-validations"?: readonly ValidationRule[] | undefined;
}
type Schemas = Readonly<Record<string, JSONSchemaProps>>;

const self = (): Struct<JSONSchemaProps, JSONSchemaProps> => JSONSchemaProps;
const selfType = structType(self);
const orBool = eitherType(self, boolType, {
  name: `${apiextensions}.JSONSchemaPropsOrBool`,
  objectTag: 2,
  otherTag: 1,
  error: "boolean or JSON schema expected",
});
const orArray = eitherType(self, listType(selfType), {
  name: `${apiextensions}.JSONSchemaPropsOrArray`,
  objectTag: 1,
  otherTag: 2,
});
const orStrings = eitherType(self, listType(stringType), {
  name: `${apiextensions}.JSONSchemaPropsOrStringArray`,
  objectTag: 1,
  otherTag: 2,
});

/** A list or map whose type has a name of its own in Go. */
const renamed = <T, I>(field: Field<T, "optional", I>, goType: string): Field<T, "optional", I> =>
  new Field(field.tag, { code: field.type.code, of: field.type.of as Type, goType }, field.zero);

export const JSONSchemaProps: Struct<JSONSchemaProps, JSONSchemaProps> = struct(
  `${apiextensions}.JSONSchemaProps`,
  {
    id: string(1).doc("Not supported."),
    $schema: named(2, "v1.JSONSchemaURL").doc("Not supported."),
    $ref: string(3).pointer().doc("Not supported."),
    description: string(4).doc("What the value means."),
    type: string(5).doc("Which type of JSON the value has."),
    format: string(6).doc("The form of a text or number."),
    title: string(7).doc("A name for the value."),
    default: json(8).doc("What is filled in where the value is absent."),
    maximum: double(9).pointer().doc("The greatest number."),
    exclusiveMaximum: bool(10).doc("Whether the greatest number itself is excluded."),
    minimum: double(11).pointer().doc("The least number."),
    exclusiveMinimum: bool(12).doc("Whether the least number itself is excluded."),
    maxLength: int64(13).pointer().doc("The most characters of a text."),
    minLength: int64(14).pointer().doc("The fewest characters of a text."),
    pattern: string(15).doc("A regular expression that a text matches."),
    maxItems: int64(16).pointer().doc("The most items of a list."),
    minItems: int64(17).pointer().doc("The fewest items of a list."),
    uniqueItems: bool(18).doc("Must not be true."),
    multipleOf: double(19).pointer().doc("A number that the value is a multiple of."),
    enum: listOf(20, jsonType).atomic().doc("The values that are allowed."),
    maxProperties: int64(21).pointer().doc("The most members of an object."),
    minProperties: int64(22).pointer().doc("The fewest members of an object."),
    required: strings(23).atomic().doc("The members that an object has."),
    items: optional(24, orArray).doc("The schema of the items of a list."),
    allOf: listOf(25, selfType).atomic().doc("Schemas that are all met."),
    oneOf: listOf(26, selfType).atomic().doc("Schemas of which exactly one is met."),
    anyOf: listOf(27, selfType).atomic().doc("Schemas of which at least one is met."),
    not: message(28, self).doc("A schema that is not met."),
    properties: mapOf(29, selfType).doc("The schemas of members of an object, by name."),
    additionalProperties: optional(30, orBool).doc("The schema of all other members."),
    patternProperties: mapOf(31, selfType).doc("Not supported."),
    dependencies: renamed(mapOf(32, orStrings), "v1.JSONSchemaDependencies").doc("Not supported."),
    additionalItems: optional(33, orBool).doc("Not supported."),
    definitions: renamed(mapOf(34, selfType), "v1.JSONSchemaDefinitions").doc("Not supported."),
    externalDocs: message(35, ExternalDocumentation).doc("Where more is written on the value."),
    example: json(36).doc("A value that is valid."),
    nullable: bool(37).doc("Whether the value may be null."),
    "x-kubernetes-preserve-unknown-fields": bool(38)
      .pointer()
      .doc("Whether members that have no schema are kept."),
    "x-kubernetes-embedded-resource": bool(39).doc("Whether the value is an object of the API."),
    "x-kubernetes-int-or-string": bool(40).doc("Whether the value is a whole number or a text."),
    "x-kubernetes-list-map-keys": strings(41)
      .atomic()
      .doc("The members that identify an item of a list."),
    "x-kubernetes-list-type": string(42).pointer().doc("Whether a list is atomic, a set or a map."),
    "x-kubernetes-map-type": string(43).pointer().doc("Whether an object is atomic or granular."),
    "x-kubernetes-validations": renamed(list(44, ValidationRule), "v1.ValidationRules")
      .keyedBy("rule")
      .doc("Rules of the value, written in CEL."),
  },
)
  .doc("A schema of JSON values.")
  .validatedElsewhere();
