import {
  type GroupVersionKind,
  type OpenApiVersion,
  refTo,
  type Schema,
} from "../../../schema/openapi/openapi.ts";
import type { OpenApiParameter } from "./openapi-parameters.ts";

export type Method = "delete" | "get" | "head" | "options" | "patch" | "post" | "put";

/** An operation of a path, independent of the version of OpenAPI. */
export interface Operation {
  readonly method: Method;
  readonly id: string;
  readonly tag: string;
  readonly description: string;
  readonly parameters: readonly OpenApiParameter[];
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  /** The name of the request's schema. */
  readonly body?: { readonly schema: string; readonly required: boolean };
  readonly responses: readonly Response[];
  readonly action?: string;
  readonly kind?: GroupVersionKind;
}
/** A response: the name of its schema; absent for plain text. */
export interface Response {
  readonly code: 200 | 201 | 202;
  readonly schema: string | undefined;
}
export interface Path {
  readonly path: string;
  readonly operations: readonly Operation[];
}

/** Replaces a repeated parameter with a reference. */
export type Share = (parameter: Schema) => Schema;

/** The paths of a document. Parameters of all operations of a path are listed once for the path. */
export function writePaths(
  paths: readonly Path[],
  version: OpenApiVersion,
  share: Share,
): Readonly<Record<string, Schema>> {
  const write = version === 2 ? writeOperation2 : writeOperation3;
  const parameter = version === 2 ? writeParameter2 : writeParameter3;
  const sorted = [...paths].sort((a, b) => (a.path < b.path ? -1 : 1));
  const items = sorted.map(({ path, operations }) => {
    const common = commonOf(operations);
    const item: Record<string, unknown> = {};
    for (const operation of operations) {
      const own = operation.parameters.filter((one) => !common.includes(one));
      item[operation.method] = write(
        operation,
        own.map((one) => share(parameter(one))),
        share,
      );
    }
    if (common.length > 0) item.parameters = common.map((one) => share(parameter(one)));
    return [path, item] as const;
  });
  return Object.fromEntries(items);
}

function commonOf([first, ...rest]: readonly Operation[]): readonly OpenApiParameter[] {
  const common = (first?.parameters ?? []).filter((one) =>
    rest.every(({ parameters }) => parameters.includes(one)),
  );
  return common.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function writeParameter2({ type, ...parameter }: OpenApiParameter): Schema {
  return { uniqueItems: true, type, ...parameter };
}
function writeParameter3({ type, ...parameter }: OpenApiParameter): Schema {
  return { ...parameter, schema: { type, uniqueItems: true } };
}

function writeOperation2(
  operation: Operation,
  parameters: readonly Schema[],
  share: Share,
): Schema {
  const { body, responses } = operation;
  const required = body?.required ? { required: true } : {};
  const sent = body && [
    share({ name: "body", in: "body", ...required, schema: { $ref: refTo(body.schema, 2) } }),
  ];
  const all = [...(sent ?? []), ...parameters];
  return {
    description: operation.description,
    ...(operation.consumes.length > 0 && { consumes: operation.consumes }),
    produces: operation.produces,
    schemes: ["https"],
    tags: [operation.tag],
    operationId: operation.id,
    ...(all.length > 0 && { parameters: all }),
    responses: writeResponses(responses, (schema) => ({ schema: schemaOf(schema, 2) })),
    ...extensionsOf(operation),
  };
}

function writeOperation3(operation: Operation, parameters: readonly Schema[]): Schema {
  const { body, consumes, produces } = operation;
  const content = (types: readonly string[], schema: string | undefined) =>
    Object.fromEntries(types.map((type) => [type, { schema: schemaOf(schema, 3) }]));
  return {
    tags: [operation.tag],
    description: operation.description,
    operationId: operation.id,
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        content: content(consumes, body.schema),
        ...(body.required && { required: true }),
      },
    }),
    responses: writeResponses(operation.responses, (schema) => ({
      content: content(produces, schema),
    })),
    ...extensionsOf(operation),
  };
}

const statusTexts = { 200: "OK", 201: "Created", 202: "Accepted" };

function writeResponses(
  responses: readonly Response[],
  write: (schema: string | undefined) => Schema,
): Schema {
  const answers = responses.map(
    ({ code, schema }) => [code, { description: statusTexts[code], ...write(schema) }] as const,
  );
  return { ...Object.fromEntries(answers), 401: { description: "Unauthorized" } };
}

const schemaOf = (name: string | undefined, version: OpenApiVersion): Schema =>
  name === undefined ? { type: "string" } : { $ref: refTo(name, version) };

const extensionsOf = ({ action, kind }: Operation): Schema => ({
  ...(action !== undefined && { "x-kubernetes-action": action }),
  ...(kind && { "x-kubernetes-group-version-kind": kind }),
});
