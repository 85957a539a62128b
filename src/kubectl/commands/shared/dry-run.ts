import { stringFlag } from "../../../cli/flag.ts";
import type { CommandContext } from "../../program/kubectl-command.ts";
import { boolValue } from "./bool-value.ts";
import { klog } from "./klog.ts";

export type DryRun = "none" | "client" | "server";

/** The flag of commands that can be tried out. */
export const dryRunFlags = {
  "dry-run": {
    ...stringFlag({
      default: "none",
      usage:
        'Must be "none", "server", or "client". With client, the object that would be sent is only printed. With server, the request is sent, and the server stores nothing.',
    }),
    implied: "unchanged",
  },
};

/** What `--dry-run` says; older forms of the flag are read with a warning. */
export function dryRunOf(context: Pick<CommandContext, "flags" | "io" | "factory">): DryRun {
  const value = String((context.flags as Readonly<Record<string, unknown>>)["dry-run"] ?? "none");
  if (value === "none" || value === "client" || value === "server") return value;
  if (value === "unchanged") {
    klog(
      context,
      "W",
      "--dry-run is deprecated and can be replaced with --dry-run=client.",
      "helpers.go:719",
    );
    return "client";
  }
  const bool = boolValue(value);
  if (bool === undefined)
    throw new Error(`Invalid dry-run value (${value}). Must be "none", "server", or "client".`);
  const replacement = bool ? "client" : "none";
  klog(
    context,
    "W",
    `--dry-run=${value} is deprecated (boolean value) and can be replaced with --dry-run=${replacement}.`,
    bool ? "helpers.go:733" : "helpers.go:736",
  );
  return replacement;
}
