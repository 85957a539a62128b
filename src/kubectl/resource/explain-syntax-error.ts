import { ErrorList } from "../program/command-error.ts";
import type { CommandContext } from "../program/kubectl-command.ts";
import { ManifestSyntaxError } from "./read-documents.ts";

/** Adds to the original's message where in a file a manifest is broken. */
export function explainSyntaxError(error: Error, { io }: Pick<CommandContext, "io">): void {
  if (error instanceof ErrorList) for (const one of error.errors) explainSyntaxError(one, { io });
  const { cause } = error;
  if (!(cause instanceof ManifestSyntaxError)) return;
  const { language, line, column } = cause;
  const [, source] = /^error parsing (.*): $/s.exec(
    error.message.slice(0, error.message.length - cause.message.length),
  ) ?? ["", "the manifest"];
  io.stderr.write(`${source}: broken ${language} at line ${line}, column ${column}\n`);
}
