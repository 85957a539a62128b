import type { Factory } from "../../factory/factory.ts";
import type { CommandContext } from "../../program/kubectl-command.ts";

type KlogContext = Pick<CommandContext, "io"> & { readonly factory: Pick<Factory, "clock"> };

/** Logs each kubeconfig that is loaded, at -v=6. */
export function kubeconfigLog(verbosity: number, context: KlogContext): (path: string) => void {
  return (path) => {
    if (verbosity >= 6) klog(context, "I", `Config loaded from file:  ${path}`, "loader.go:407");
  };
}

/**
 * Prints a message to standard error as the original's log does: severity, date, time and process first, then the
 * place in the original's source.
 */
export function klog(
  { io, factory }: KlogContext,
  severity: "I" | "W" | "E" | "F",
  message: string,
  place: string,
): void {
  const [, month, day, time, ms] =
    /^\d+-(\d+)-(\d+)T([\d:]+)\.(\d+)Z$/.exec(new Date(factory.clock.now()).toISOString()) ?? [];
  const header = `${severity}${month}${day} ${time}.${ms}000 ${String(process.pid).padStart(7)} ${place}]`;
  io.stderr.write(`${header} ${message}\n`);
}
