import type { Factory } from "../../factory/factory.ts";
import type { CommandContext } from "../../program/kubectl-command.ts";

/**
 * Prints a message to standard error as the original's log does: severity, date, time and process first, then the
 * place in the original's source.
 */
export function klog(
  { io, factory }: Pick<CommandContext, "io"> & { readonly factory: Pick<Factory, "clock"> },
  severity: "I" | "W" | "E" | "F",
  message: string,
  place: string,
): void {
  const [, month, day, time, ms] =
    /^\d+-(\d+)-(\d+)T([\d:]+)\.(\d+)Z$/.exec(new Date(factory.clock.now()).toISOString()) ?? [];
  const header = `${severity}${month}${day} ${time}.${ms}000 ${String(process.pid).padStart(7)} ${place}]`;
  io.stderr.write(`${header} ${message}\n`);
}
