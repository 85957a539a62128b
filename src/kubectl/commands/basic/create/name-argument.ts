import { usageError } from "../../../program/command-error.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";

/** The one name among the arguments; what follows `--` does not count. */
export function nameArgument({
  args,
  dashAt,
  path,
}: Pick<CommandContext, "args" | "dashAt" | "path">): string {
  const count = dashAt ?? args.length;
  if (count !== 1) throw usageError(path, `exactly one NAME is required, got ${count}`);
  return args[0] ?? "";
}
