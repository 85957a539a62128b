import { boolFlag, stringFlag, type Values } from "../../../../cli/flag.ts";
import { tablePrintFlags } from "../../../print/print-flags.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import { filenameFlags } from "../../shared/filename-flags.ts";
import { allNamespacesFlags } from "../../shared/namespace-flags.ts";
import { checkRawUri } from "../../shared/raw-request.ts";
import {
  chunkSizeFlags,
  fieldSelectorFlags,
  labelSelectorFlags,
} from "../../shared/selector-flags.ts";

export const getFlags = {
  ...tablePrintFlags,
  ...filenameFlags("identifying the resource to get from a server."),
  ...labelSelectorFlags,
  ...fieldSelectorFlags,
  ...allNamespacesFlags,
  ...chunkSizeFlags,
  raw: stringFlag({
    usage: "Raw URI to request from the server, through the kubeconfig's transport.",
  }),
  watch: boolFlag({
    short: "w",
    usage: "After the requested objects were printed, watch for changes.",
  }),
  "watch-only": boolFlag({
    usage: "Watch for changes of the requested objects, without printing them first.",
  }),
  "output-watch-events": boolFlag({
    usage:
      "Print the events of --watch or --watch-only. Objects that exist already are printed as ADDED events.",
  }),
  "ignore-not-found": boolFlag({
    usage:
      "If true, an object that does not exist is no error. Without effect on collections that are empty.",
  }),
  "server-print": boolFlag({
    default: true,
    usage: "If true, the server makes the tables, also those of custom resources.",
  }),
  subresource: stringFlag({ usage: "If specified, gets the subresource of the requested object." }),
};

export type GetContext = CommandContext<typeof getFlags>;

/** Throws for flags that do not go together. */
export function checkGetFlags(flags: Values<typeof getFlags>): void {
  const { raw, output } = flags;
  const watches = flags.watch || flags["watch-only"];
  if (raw !== "") {
    if (watches || flags.selector !== "")
      throw new Error(
        "--raw may not be specified with other flags that filter the server request or alter the output",
      );
    if (output !== "") throw new Error("--raw and --output are mutually exclusive");
    checkRawUri(raw);
  }
  if (flags["show-labels"] && output !== "" && output !== "wide")
    throw new Error(`--show-labels option cannot be used with ${output} printer`);
  if (flags["output-watch-events"] && !watches)
    throw new Error("--output-watch-events option can only be used with --watch or --watch-only");
}
