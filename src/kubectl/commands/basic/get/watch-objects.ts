import { StatusError } from "../../../../api/meta/v1/status-error.ts";
import { errorMessage } from "../../../../base/error-message.ts";
import type { ReadonlyJsonMap } from "../../../../schema/json/json-value.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { type Printer, WatchEvent } from "../../../print/printer.ts";
import { sortingPrinter } from "../../../print/sorting-printer.ts";
import { TabWriter } from "../../../print/tab-writer.ts";
import { asTable } from "../../../print/table.ts";
import { exitIfInterrupted } from "../../../program/command-error.ts";
import { globalFlags } from "../../../program/global-flags.ts";
import { findResources } from "../../../resource/find-resources.ts";
import { withKindOfList } from "../../../resource/flatten-list.ts";
import { isList } from "../../../resource/info.ts";
import type { Result } from "../../../resource/result.ts";
import { klog } from "../../shared/klog.ts";
import { type TableOutputOptions, tableOutput } from "../../shared/table-output.ts";
import type { GetContext } from "./get-flags.ts";
import { getQuery } from "./get-query.ts";

/** Prints objects, unless only changes are wanted, and then each change until the watch ends. */
export async function watchObjects(context: GetContext): Promise<void> {
  const { flags, io, signal } = context;
  const found = await findResources(context, { ...getQuery(context), isSingleType: true });
  const first = await firstOf(found, flags["ignore-not-found"]);
  if (first === undefined) return;
  const printer = watchPrinter(context, first.kind);
  const object = await found.object();
  const isWholeList = isList(object);
  const writer = new TabWriter(io.stdout);
  // The list also stands for pages of tables, which are printed as they are.
  const known = isWholeList ? object.items.map((item) => withKindOfList(item, object)) : [object];
  for (const one of known)
    try {
      printOne(printer, { type: "ADDED", object: one }, { writer, shows: !flags["watch-only"] });
    } catch (error) {
      throw new Error(`unable to output the provided object: ${(error as Error).message}`, {
        cause: error,
      });
    }
  writer.flush();
  // The watch of one object begins with the object, which was printed above.
  let shows = isWholeList;
  const version = isWholeList ? (object.metadata.resourceVersion ?? "") : "0";
  const events = await found.watch(version);
  try {
    for await (const event of events) {
      printOne(printer, event, { writer, shows });
      writer.flush();
      shows = true;
    }
  } catch (error) {
    // As in the original, a watch that ends is no error, whatever the reason.
    if (!signal.aborted && isRefusal(error)) throw error;
    if (!signal.aborted && context.inherited(globalFlags).v >= 5)
      klog(
        context,
        "I",
        `"Unable to decode an event from the watch stream" err=${quote(errorMessage(error))}`,
        "streamwatcher.go:123",
      );
  }
  exitIfInterrupted(signal);

  function printOne(
    to: Printer,
    { type, object }: { readonly type: string; readonly object: unknown },
    { writer, shows }: { readonly writer: TabWriter; readonly shows: boolean },
  ): void {
    const whole = object as ReadonlyJsonMap;
    const table = asTable(whole);
    if (!shows && !table) return;
    const shown = shows ? whole : { ...whole, rows: [] };
    to.print(flags["output-watch-events"] ? new WatchEvent(type, shown) : shown, writer);
  }
}

/** Whether the server refused to open a watch: later errors are events of the watch. */
function isRefusal(error: unknown): boolean {
  return error instanceof StatusError && !StatusError.is(error, "Expired");
}

async function firstOf(found: Result, ignoresNotFound: boolean) {
  try {
    const [first] = await found.infos();
    return first;
  } catch (error) {
    if (ignoresNotFound && StatusError.is(error, "NotFound")) return undefined;
    throw error;
  }
}

function watchPrinter(context: GetContext, kind: TableOutputOptions["kind"]): Printer {
  const { flags } = context;
  const printer = tableOutput(context, { kind, withNamespace: flags["all-namespaces"] });
  const path = flags["sort-by"];
  return path === "" ? printer : sortingPrinter(printer, path);
}
