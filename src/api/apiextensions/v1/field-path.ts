import type { JSONSchemaProps } from "./json-schema-props.ts";
import { additionalOf, propertyOf } from "./subschemas.ts";

/** Where a path such as `.spec.color` or `.spec['x']` leads, or why it leads nowhere. */
export type FieldPath =
  | {
      readonly steps: readonly string[];
      /** The path as errors show it: `spec.color`, `labels[a]`. */
      readonly shown: string;
      readonly schema: JSONSchemaProps | undefined;
    }
  | { readonly error: string };

/** Follows a path through a schema. */
export function followPath(
  path: string,
  schema: JSONSchemaProps,
  { brackets = true }: { readonly brackets?: boolean } = {},
): FieldPath {
  const tokens = tokensOf(path);
  const steps: string[] = [];
  let shown = "";
  let at: JSONSchemaProps | undefined = schema;
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as string;
    let name: string;
    if (token === ".") {
      const next = tokens[++i];
      if (next === undefined) return { error: "unexpected end of JSON path" };
      name = next;
    } else if (token === "[") {
      const read = bracketed(tokens, i, brackets);
      if ("error" in read) return read;
      name = read.name;
      i += 2;
    } else return { error: `expected [ or . but got: ${token}` };
    const inner = stepInto(at, name);
    if (inner === undefined) return nowhere;
    at = inner.schema;
    steps.push(name);
    shown = inner.isKey ? `${shown}[${name}]` : joined(shown, name);
    if (token === "[") {
      const close = tokens[i];
      if (close === undefined) return { error: "unexpected end of JSON path" };
      if (close !== "]") return { error: `expected ] but got ${close}` };
    }
  }
  return { steps, shown, schema: at };
}

const joined = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

const nowhere = { error: "does not refer to a valid field" } as const;

function bracketed(
  tokens: readonly string[],
  i: number,
  allowed: boolean,
): { readonly name: string } | { readonly error: string } {
  if (!allowed) return { error: "array notation is not allowed" };
  const token = tokens[i + 1];
  if (token === undefined) return { error: "unexpected end of JSON path" };
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'"))
    return { error: `expected single quoted string but got ${token}` };
  return { name: token.slice(1, -1).replace(/\\(.)/g, "$1") };
}

function stepInto(
  schema: JSONSchemaProps | undefined,
  name: string,
): { readonly schema: JSONSchemaProps | undefined; readonly isKey: boolean } | undefined {
  if (schema?.properties && Object.keys(schema.properties).length > 0) {
    const property = propertyOf(schema, name);
    return property && { schema: property, isKey: false };
  }
  if (schema?.additionalProperties !== undefined)
    return { schema: additionalOf(schema), isKey: true };
  return undefined;
}

/** Dots, brackets, texts in quotes, and what stands between them. */
function tokensOf(path: string): readonly string[] {
  return path.match(/'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]]+/g) ?? [];
}
