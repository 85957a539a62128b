import { int32, list, listOf, named, raw, string, value } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { rawType } from "../../../schema/language/type.ts";
import { conditionStatus } from "./condition.ts";
import { ListMeta } from "./list-meta.ts";
import { typeMeta } from "./type-meta.ts";

// Tables are never written in protobuf: their tags only tell the fields apart.

export const TableColumnDefinition = struct(
  "io.k8s.apimachinery.pkg.apis.meta.v1.TableColumnDefinition",
  {
    name: string(1).always().expected().doc("The heading."),
    type: string(2).always().expected().doc("The type of the cells, as OpenAPI names it."),
    format: string(3).always().expected().doc("How the cells are to be read, such as `name`."),
    description: string(4).always().expected().doc("What the column shows."),
    priority: int32(5).always().expected().doc("Columns above 0 are for wide output."),
  },
).doc("One column of a table.");
export interface TableColumnDefinition extends Infer<typeof TableColumnDefinition> {}

export const TableRowCondition = struct("io.k8s.apimachinery.pkg.apis.meta.v1.TableRowCondition", {
  type: named(1, "v1.RowConditionType").always().expected().known("Completed").doc("What it says."),
  status: conditionStatus(2),
  reason: string(3).doc("Why, for machines."),
  message: string(4).doc("Why, for people."),
}).doc("Marks a row, for instance one whose object has done its work.");
export interface TableRowCondition extends Infer<typeof TableRowCondition> {}

export const TableRow = struct("io.k8s.apimachinery.pkg.apis.meta.v1.TableRow", {
  cells: listOf(1, rawType).always().expected().doc("One value for each column."),
  conditions: list(2, TableRowCondition).doc("Marks of the row."),
  object: raw(3).doc("The object, its metadata, or nothing, as the client asked."),
}).doc("One row of a table: an object.");
export interface TableRow extends Infer<typeof TableRow> {}

export const Table = struct("io.k8s.apimachinery.pkg.apis.meta.v1.Table", {
  ...typeMeta,
  metadata: value(1, ListMeta).doc("The version of the list, and where it continues."),
  columnDefinitions: list(2, TableColumnDefinition).always().expected().doc("The columns."),
  rows: list(3, TableRow).always().expected().doc("The rows."),
}).doc("Objects as a table, for people to read.");
export interface Table extends Infer<typeof Table> {}

export const TableOptions = struct("io.k8s.apimachinery.pkg.apis.meta.v1.TableOptions", {
  ...typeMeta,
  includeObject: named(1, "v1.IncludeObjectPolicy")
    .known("None", "Metadata", "Object")
    .doc("What of the object goes into each row."),
}).doc("How a table is asked for.");
export interface TableOptions extends Infer<typeof TableOptions> {}

/** The rules of the query that asks for a table. */
export function validateTableOptions({ includeObject = "" }: TableOptions, at: At): void {
  if (!["Metadata", "None", "Object", ""].includes(includeObject))
    at.invalid("includeObject", includeObject, "must be 'Metadata', 'Object', 'None', or empty");
}
