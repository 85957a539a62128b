import type { Schema } from "../../../schema/openapi/openapi.ts";

type Fields = Readonly<Record<string, unknown>>;

/** An OpenAPI 2 document in OpenAPI 3, as far as the two can say the same. */
export function openApi3Of(document: Schema): Schema {
  const { info, paths, definitions, securityDefinitions, parameters } = document;
  const shared = fieldsOf(parameters);
  return {
    openapi: "3.0.0",
    ...(info !== undefined && { info }),
    paths: mapped(fieldsOf(paths), (item) => pathOf(fieldsOf(item), shared)),
    components: {
      ...(definitions !== undefined && { schemas: mapped(fieldsOf(definitions), schemaOf) }),
      ...(securityDefinitions !== undefined && { securitySchemes: securityDefinitions }),
    },
  };
}

const methods = new Set(["get", "put", "post", "delete", "options", "head", "patch"]);

function pathOf(item: Fields, shared: Fields): Fields {
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => {
      if (methods.has(name)) return [name, operationOf(fieldsOf(value), shared)];
      if (name !== "parameters") return [name, value];
      return [name, listOf(value).map((one) => parameterOf(resolved(one, shared)))];
    }),
  );
}

function operationOf(operation: Fields, shared: Fields): Fields {
  const { parameters, responses, consumes, produces, schemes: _, ...others } = operation;
  const given = listOf(parameters).map((one) => resolved(one, shared));
  const isBody = (one: Fields): boolean => one.name === "body" && one.schema !== undefined;
  const body = given.find(isBody);
  const rest = given.filter((one) => !isBody(one)).map(parameterOf);
  return {
    ...others,
    ...(rest.length > 0 && { parameters: rest }),
    ...(body && { requestBody: contentOf(body.schema, consumes) }),
    responses: mapped(fieldsOf(responses), (value) => {
      const { description, schema } = fieldsOf(value);
      return {
        ...(description !== undefined && { description }),
        ...(schema !== undefined && contentOf(schema, produces)),
      };
    }),
  };
}

function contentOf(schema: unknown, types: unknown): Fields {
  const content = listOf(types).map((type) => [String(type), { schema: schemaOf(schema) }]);
  return content.length > 0 ? { content: Object.fromEntries(content) as Fields } : {};
}

/** In OpenAPI 3 the type of a parameter is in a schema. */
function parameterOf(parameter: Fields): Fields {
  const {
    type,
    format,
    uniqueItems,
    schema,
    items: _,
    collectionFormat: __,
    ...others
  } = parameter;
  const own = {
    ...(type !== undefined && { type }),
    ...(format !== undefined && { format }),
    ...(uniqueItems !== undefined && { uniqueItems }),
  };
  return { ...others, schema: schema === undefined ? own : schemaOf(schema) };
}

/** Parameters that operations share are written out. */
function resolved(value: unknown, shared: Fields): Fields {
  const parameter = fieldsOf(value);
  const { $ref } = parameter;
  const prefix = "#/parameters/";
  if (typeof $ref !== "string" || !$ref.startsWith(prefix)) return parameter;
  return fieldsOf(shared[$ref.slice(prefix.length)]);
}

/** A schema with other references; one that has more than its reference is wrapped, as OpenAPI 3 ignores the rest. */
function schemaOf(value: unknown): Fields {
  const { $ref, properties, items, additionalProperties, ...others } = fieldsOf(value);
  const rest = {
    ...others,
    ...(properties !== undefined && { properties: mapped(fieldsOf(properties), schemaOf) }),
    ...(items !== undefined && {
      items: Array.isArray(items) ? items.map(schemaOf) : schemaOf(items),
    }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === "object"
          ? schemaOf(additionalProperties)
          : additionalProperties,
    }),
  };
  if (typeof $ref !== "string") return rest;
  const reference = { $ref: $ref.replace("#/definitions/", "#/components/schemas/") };
  return Object.keys(rest).length === 0 ? reference : { ...rest, allOf: [reference] };
}

const mapped = (fields: Fields, change: (value: unknown) => unknown): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(value)]));

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
