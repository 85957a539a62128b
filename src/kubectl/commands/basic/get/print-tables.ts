import type { DynamicObject } from "../../../../client/resource-kind.ts";
import { isMap, type ReadonlyJsonMap } from "../../../../schema/json/json-value.ts";
import type { Printer } from "../../../print/printer.ts";
import { sortObjects, UnsortableError } from "../../../print/sort-objects.ts";
import { sortingPrinter } from "../../../print/sorting-printer.ts";
import { TabWriter } from "../../../print/tab-writer.ts";
import { ErrorList } from "../../../program/command-error.ts";
import { type Info, isNamespaced } from "../../../resource/info.ts";
import type { Result } from "../../../resource/result.ts";
import { tableOutput } from "../../shared/table-output.ts";
import type { GetContext } from "./get-flags.ts";
import { SeparatedOutput } from "./separated-output.ts";

/** Prints tables, one for each kind; throws the errors of objects that could not be read at the end. */
export async function printTables(context: GetContext, found: Result): Promise<void> {
  const { flags, io, factory } = context;
  const allNamespaces = flags["all-namespaces"];
  const errors: Error[] = [];
  const infos = sorted(await infosOf(found, errors, flags), flags["sort-by"]);
  const withKind = hasManyKinds(infos);
  const out = new SeparatedOutput(io.stdout);
  let writer = new TabWriter(out);
  let withNamespace = false;
  let current: { readonly resource: string; readonly printer: Printer } | undefined;
  for (const info of infos) {
    const resource = resourceOf(info);
    if (current?.resource !== resource) {
      writer.flush();
      writer = new TabWriter(out);
      if (current && !flags["no-headers"]) out.separate();
      // Once there was a column of namespaces, the original keeps it for all that follow.
      withNamespace ||= allNamespaces && info.kind?.scope !== "Cluster";
      const printer = tableOutput(context, { kind: info.kind, withNamespace, withKind });
      const path = flags["sort-by"];
      current = { resource, printer: path === "" ? printer : sortingPrinter(printer, path) };
    }
    if (info.object)
      printQuietly(current.printer, info.object as unknown as ReadonlyJsonMap, writer);
  }
  writer.flush();
  if (!out.hasWritten && !flags["ignore-not-found"] && errors.length === 0) {
    const { namespace } = await factory.namespace();
    const isInNamespace = !allNamespaces && infos.every(isNamespaced);
    io.stderr.write(
      isInNamespace ? `No resources found in ${namespace} namespace.\n` : "No resources found\n",
    );
  }
  if (errors.length > 0) throw new ErrorList(errors);
}

async function infosOf(
  found: Result,
  errors: Error[],
  flags: GetContext["flags"],
): Promise<readonly Info[]> {
  const infos: Info[] = [];
  try {
    await found.visit((info) => {
      if (info.object && flags["sort-by"] === "") info.object = withoutDetails(info.object);
      infos.push(info);
    });
  } catch (error) {
    errors.push(error as Error);
  }
  return infos;
}

/** A table with what is printed of its objects: columns are only known to be wide enough after the last page. */
function withoutDetails(object: DynamicObject): DynamicObject {
  const { kind, rows } = object as { readonly kind: string; readonly rows?: unknown };
  if (kind !== "Table" || !Array.isArray(rows)) return object;
  return { ...object, rows: rows.map((row: unknown) => (isMap(row) ? printedParts(row) : row)) };
}

function printedParts({ cells, object }: ReadonlyJsonMap): ReadonlyJsonMap {
  if (!isMap(object)) return { cells };
  const { namespace, labels } = isMap(object.metadata) ? object.metadata : {};
  return { cells, object: { metadata: { namespace, labels } } };
}

const resourceOf = ({ kind }: Info): string =>
  kind ? `${kind.group}/${kind.version}/${kind.plural}` : "";

function hasManyKinds(infos: readonly Info[]): boolean {
  const names = infos.map(({ kind }) => kind && `${kind.group}/${kind.version}/${kind.kind}`);
  return new Set(names).size > 1;
}

/**
 * Sorts objects of several responses. Tables have no such fields, and several of them cannot be sorted: as in the
 * original, the rows of one are sorted when it is printed.
 */
function sorted(infos: readonly Info[], path: string): readonly Info[] {
  if (path === "" || infos.length < 2) return infos;
  const objects = infos.map(({ object }) => object as unknown as ReadonlyJsonMap);
  const places = new Map(objects.map((object, at) => [object, at]));
  return sortObjects(objects, path).flatMap((object) => infos[places.get(object) ?? 0] ?? []);
}

/** Prints an object; the original says nothing of a table that cannot be sorted or printed. */
function printQuietly(printer: Printer, object: ReadonlyJsonMap, writer: TabWriter): void {
  try {
    printer.print(object, writer);
  } catch (error) {
    if (error instanceof UnsortableError) throw error;
    // Nothing is printed, and "No resources found" follows.
  }
}
