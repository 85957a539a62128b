import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionVersion,
} from "../../api/apiextensions/v1/custom-resource-definition-spec.ts";
import { ageColumn, nameColumn, since } from "../../api/meta/v1/columns.ts";
import { goJson } from "../../schema/json/go-json.ts";
import { type JsonPath, JsonPathError, parseJsonPath } from "../../schema/json/json-path.ts";
import type { Column, ServedKind } from "../../schema/language/kind.ts";
import { parseTime } from "../../schema/values/time.ts";

/** The columns of a version: the name and the columns of its definition, or the age where it has none. */
export function customColumns({
  additionalPrinterColumns: given = [],
}: CustomResourceDefinitionVersion): ServedKind["columns"] {
  const columns: Column<never>[] = [nameColumn as Column<never>];
  for (const column of given.length > 0 ? given : [standardAge]) {
    const path = pathOf(column);
    // Columns after one that cannot be parsed are dropped, as upstream does.
    if (!path) break;
    columns.push(customColumn(column, path));
  }
  return columns;
}

const standardAge: CustomResourceColumnDefinition = {
  name: "Age",
  type: "date",
  description: ageColumn.description ?? "",
  jsonPath: ".metadata.creationTimestamp",
};

function pathOf({ jsonPath }: CustomResourceColumnDefinition): JsonPath | undefined {
  try {
    return parseJsonPath(jsonPath);
  } catch (error) {
    if (error instanceof JsonPathError) return undefined;
    throw error;
  }
}

const customColumn = (
  { name, type, format, description, priority, jsonPath }: CustomResourceColumnDefinition,
  path: JsonPath,
): Column<never> => ({
  name,
  type,
  ...(format && { format }),
  description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
  priority: priority ?? 0,
  cell(object, { now }) {
    const [value] = found(path, object);
    return cellOf(type, value, now);
  },
});

/** A path that does not fit an object leads nowhere in it. */
function found(path: JsonPath, object: unknown): readonly unknown[] {
  try {
    return path(object);
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return [];
    throw error;
  }
}

/** A value as a cell of a type; null where it has no such form. */
function cellOf(type: string, value: unknown, now: number): unknown {
  if (value === undefined) return null;
  if (type === "string") return textOf(value);
  if (type === "integer" && typeof value === "bigint") return value;
  if (type === "integer") return typeof value === "number" ? Math.trunc(value) : null;
  if (type === "number" && typeof value === "bigint") return Number(value);
  if (type === "number") return typeof value === "number" ? value : null;
  if (type === "boolean") return typeof value === "boolean" ? value : null;
  if (type === "date") return typeof value === "string" ? ageOf(value, now) : null;
  return null;
}

function textOf(value: unknown): string {
  if (value === null) return "null";
  return typeof value === "object" ? goJson(value) : String(value);
}

function ageOf(time: string, now: number): string {
  if (time === "" || time === "null") return "<unknown>";
  try {
    parseTime(time);
  } catch {
    return "<invalid>";
  }
  return since(time, now);
}
