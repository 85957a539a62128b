import type { Column } from "../../../schema/language/kind.ts";
import { ageColumn } from "./columns.ts";
import type { ObjectMeta } from "./object-meta.ts";

/** When the object was created: beside its name, the only column of kinds that have no table of their own. */
export const createdAtColumn: Column<{ readonly metadata: ObjectMeta }> = {
  name: "Created At",
  type: "date",
  description: ageColumn.description ?? "",
  cell: ({ metadata }) => metadata.creationTimestamp ?? "0001-01-01T00:00:00Z",
};
