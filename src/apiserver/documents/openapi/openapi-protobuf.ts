import { BackwardWriter } from "../../../base/protobuf-wire.ts";
import type { Schema } from "../../../schema/openapi/openapi.ts";

/** Encodes an OpenAPI 2 document as gnostic's protobuf, which client-go requests. */
export function encodeOpenApi2(document: Schema): Uint8Array {
  const writer = new BackwardWriter(1 << 20);
  writeMessage(writer, document, documentFields);
  return writer.finish();
}

/** Writes a field with its tag. */
type Write = (writer: BackwardWriter, value: unknown) => void;
/** The fields of a message by their names in JSON, in order of their tags. */
interface Fields {
  readonly [name: string]: Write;
}

/** The key `x-` holds the tag of extensions. */
function writeMessage(writer: BackwardWriter, value: unknown, fields: Fields): void {
  const object = value as Schema;
  const extension = fields["x-"];
  if (extension)
    for (const name of Object.keys(object).reverse())
      if (name.startsWith("x-")) extension(writer, [name, object[name]]);
  for (const name of Object.keys(fields).reverse())
    if (object[name] !== undefined) fields[name]?.(writer, object[name]);
}

const text =
  (tag: number): Write =>
  (writer, value) => {
    const mark = writer.length;
    writer.string(value as string);
    writer.delimited(tag, mark);
  };

const flag =
  (tag: number): Write =>
  (writer, value) => {
    writer.varint(value ? 1 : 0);
    writer.tag(tag, 0);
  };

/** A message whose fields another function writes. */
const wrapped =
  (tag: number, write: Write): Write =>
  (writer, value) => {
    const mark = writer.length;
    write(writer, value);
    writer.delimited(tag, mark);
  };

const message = (tag: number, fields: () => Fields): Write =>
  wrapped(tag, (writer, value) => writeMessage(writer, value, fields()));

/** Each item of a list. */
const each =
  (write: Write): Write =>
  (writer, value) => {
    for (const item of [...(value as readonly unknown[])].reverse()) write(writer, item);
  };

/** A map, as messages of name and value. */
const named =
  (tag: number, write: Write): Write =>
  (writer, value) => {
    for (const [name, item] of Object.entries(value as Schema).reverse()) {
      const mark = writer.length;
      write(writer, item);
      text(1)(writer, name);
      writer.delimited(tag, mark);
    }
  };

/** Any value, as YAML. */
const any = (tag: number): Write =>
  wrapped(tag, (writer, value) => text(2)(writer, `${JSON.stringify(value)}\n`));

const extensions =
  (tag: number): Write =>
  (writer, value) => {
    const [name, content] = value as readonly [string, unknown];
    const mark = writer.length;
    any(2)(writer, content);
    text(1)(writer, name);
    writer.delimited(tag, mark);
  };

const schemaFields: Fields = {
  $ref: text(1),
  format: text(2),
  description: text(4),
  required: each(text(19)),
  enum: each(any(20)),
  additionalProperties: wrapped(
    21,
    message(1, () => schemaFields),
  ),
  type: wrapped(22, text(1)),
  items: wrapped(
    23,
    message(1, () => schemaFields),
  ),
  properties: wrapped(
    25,
    named(
      1,
      message(2, () => schemaFields),
    ),
  ),
  "x-": extensions(31),
};

const bodyFields: Fields = {
  description: text(1),
  name: text(2),
  in: text(3),
  required: flag(4),
  schema: message(5, () => schemaFields),
};
const queryFields: Fields = {
  required: flag(1),
  in: text(2),
  description: text(3),
  name: text(4),
  type: text(6),
  uniqueItems: flag(20),
};
const pathFields: Fields = {
  required: flag(1),
  in: text(2),
  description: text(3),
  name: text(4),
  type: text(5),
  uniqueItems: flag(19),
};

const parameter: Write = (writer, value) => {
  const place = (value as Schema).in;
  if (place === "body") message(1, () => bodyFields)(writer, value);
  else if (place === "query")
    wrapped(
      2,
      message(3, () => queryFields),
    )(writer, value);
  else
    wrapped(
      2,
      message(4, () => pathFields),
    )(writer, value);
};
const parameterOrReference: Write = (writer, value) => {
  if ((value as Schema).$ref === undefined) wrapped(1, parameter)(writer, value);
  else message(2, () => ({ $ref: text(1) }))(writer, value);
};

const responseFields: Fields = {
  description: text(1),
  schema: wrapped(
    2,
    message(1, () => schemaFields),
  ),
};

const operationFields: Fields = {
  tags: each(text(1)),
  description: text(3),
  operationId: text(5),
  produces: each(text(6)),
  consumes: each(text(7)),
  parameters: each(wrapped(8, parameterOrReference)),
  responses: wrapped(
    9,
    named(
      1,
      wrapped(
        2,
        message(1, () => responseFields),
      ),
    ),
  ),
  schemes: each(text(10)),
  "x-": extensions(13),
};

const operation = (tag: number): Write => message(tag, () => operationFields);
const pathItemFields: Fields = {
  get: operation(2),
  put: operation(3),
  post: operation(4),
  delete: operation(5),
  options: operation(6),
  head: operation(7),
  patch: operation(8),
  parameters: each(wrapped(9, parameterOrReference)),
};

const apiKeyFields: Fields = {
  type: text(1),
  name: text(2),
  in: text(3),
  description: text(4),
};

const documentFields: Fields = {
  swagger: text(1),
  info: message(2, () => ({ title: text(1), version: text(2) })),
  paths: wrapped(
    8,
    named(
      2,
      message(2, () => pathItemFields),
    ),
  ),
  definitions: wrapped(
    9,
    named(
      1,
      message(2, () => schemaFields),
    ),
  ),
  parameters: wrapped(10, named(1, wrapped(2, parameter))),
  security: each(wrapped(12, named(1, wrapped(2, each(text(1)))))),
  securityDefinitions: wrapped(
    13,
    named(
      1,
      wrapped(
        2,
        message(2, () => apiKeyFields),
      ),
    ),
  ),
};
