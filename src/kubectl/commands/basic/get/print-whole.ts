import type { DynamicObject } from "../../../../client/resource-kind.ts";
import type { ReadonlyJsonMap } from "../../../../schema/json/json-value.ts";
import { sortingPrinter } from "../../../print/sorting-printer.ts";
import { joinedErrors } from "../../../program/command-error.ts";
import { isList } from "../../../resource/info.ts";
import { InfosError, listOf, type Result } from "../../../resource/result.ts";
import { tableOutput } from "../../shared/table-output.ts";
import type { GetContext } from "./get-flags.ts";

/** Prints objects in a format: one alone, several as a list. */
export async function printWhole(context: GetContext, found: Result): Promise<void> {
  const { flags, io } = context;
  const errors: Error[] = [];
  let objects: readonly DynamicObject[] = [];
  try {
    objects = objectsOf(await found.infos());
  } catch (error) {
    if (found.isSingleItem) throw error;
    errors.push(error instanceof InfosError ? error.reason : (error as Error));
    if (error instanceof InfosError) objects = objectsOf(error.infos);
  }
  if (objects.length > 0 || !flags["ignore-not-found"]) {
    const path = flags["sort-by"];
    const plain = tableOutput(context);
    const printer = path === "" ? plain : sortingPrinter(plain, path);
    try {
      printer.print(printed(objects, found.isSingleItem) as unknown as ReadonlyJsonMap, io.stdout);
    } catch (error) {
      errors.push(error as Error);
    }
  }
  const error = joinedErrors(errors);
  if (error) throw error;
}

const objectsOf = (
  infos: readonly { readonly object: DynamicObject | undefined }[],
): readonly DynamicObject[] => infos.flatMap(({ object }) => (object ? [object] : []));

function printed(objects: readonly DynamicObject[], isSingleItem: boolean): DynamicObject {
  const [only] = objects;
  if (!isSingleItem || only === undefined || objects.length > 1) return listOf(objects);
  if (!isList(only)) return only;
  const { resourceVersion = "" } = only.metadata ?? {};
  return listOf(only.items, resourceVersion);
}
