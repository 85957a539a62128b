import { humanDuration } from "../../../../schema/values/time.ts";
import type { TabWriter } from "../../../print/tab-writer.ts";
import { terminalText } from "../../../print/terminal-text.ts";
import type { PrintObject } from "../../shared/object-output.ts";
import type { ClusterEvent } from "./event-times.ts";

export interface EventPrinterOptions {
  readonly hasHeaders: boolean;
  readonly hasNamespaces: boolean;
  now(): number;
}

/** Prints events, alone or in lists, as lines of a table, with headers before the first one. */
export function eventPrinter(
  writer: TabWriter,
  { hasHeaders, hasNamespaces, now }: EventPrinterOptions,
): PrintObject {
  let needsHeaders = hasHeaders;
  const since = (time: string | null | undefined): string =>
    time ? humanDuration(now() - Date.parse(time)) : "<unknown>";
  const printOne = (event: ClusterEvent): void => {
    const { type = "", reason = "", involvedObject = {}, message = "", metadata } = event;
    const { kind = "", name = "" } = involvedObject;
    const cells = [
      ...(hasNamespaces ? [metadata.namespace ?? ""] : []),
      interval(event, since),
      terminalText(type),
      terminalText(reason),
      `${terminalText(kind)}/${terminalText(name)}`,
      terminalText(message.trim()),
    ];
    writer.write(`${cells.join("\t")}\n`);
  };
  return (object) => {
    if (needsHeaders)
      writer.write(
        `${hasNamespaces ? "NAMESPACE\t" : ""}LAST SEEN\tTYPE\tREASON\tOBJECT\tMESSAGE\n`,
      );
    needsHeaders = false;
    const { items } = object as { readonly items?: readonly ClusterEvent[] };
    for (const event of items ?? [object]) printOne(event);
  };
}

/** When an event happened; for one that happened several times, how often and since when. */
function interval(event: ClusterEvent, since: (time: string | null | undefined) => string): string {
  const { eventTime, firstTimestamp, lastTimestamp, series, count = 0 } = event;
  const first = since(eventTime || firstTimestamp);
  if (series) return `${since(series.lastObservedTime)} (x${series.count ?? 0} over ${first})`;
  return count > 1 ? `${since(lastTimestamp)} (x${count} over ${first})` : first;
}
