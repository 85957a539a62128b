import { boolFlag, type Values } from "../../../../cli/flag.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import { findResources } from "../../../resource/find-resources.ts";
import type { Info } from "../../../resource/info.ts";
import { dryRunFlags } from "../../shared/dry-run.ts";
import { fieldManagerFlags } from "../../shared/field-manager.ts";
import { filenameFlags, filenameQuery } from "../../shared/filename-flags.ts";
import { outputFlags } from "../../shared/object-output.ts";
import { allInfos } from "./patch-objects.ts";

/** The flags that the commands below `set` have in common. */
export const setFlags = (purpose: string, command: string) => ({
  ...outputFlags,
  ...filenameFlags(purpose),
  all: boolFlag({
    usage: "Select all resources, in the namespace of the specified resource types",
  }),
  local: boolFlag({
    usage: `If true, set ${command} will NOT contact api-server but run locally.`,
  }),
  ...dryRunFlags,
  ...fieldManagerFlags("kubectl-set"),
});

type SetValues = Values<ReturnType<typeof setFlags>> & { readonly selector?: string };

/** Finds the objects of a command as Go's types; with `--local` only files can name them. */
export async function findTyped(
  context: Pick<CommandContext, "factory" | "io" | "cwd" | "signal" | "flags">,
  flags: SetValues,
  { args, isStdinUsed }: { readonly args: readonly string[]; readonly isStdinUsed?: boolean },
): Promise<readonly Info[]> {
  const found = await findResources(context, {
    ...filenameQuery(flags),
    continuesOnError: true,
    flattens: true,
    isTyped: true,
    isLocal: flags.local,
    isStdinUsed,
    ...(!flags.local && {
      args,
      allowsTypeAlone: flags.all,
      labelSelector: flags.selector,
      isLatest: true,
    }),
  });
  return allInfos(found);
}

/** Throws for arguments that name objects of the server with `--local`. */
export function checkLocal({ local }: Pick<SetValues, "local">, args: readonly string[]): void {
  if (!local || args.length === 0) return;
  throw new Error(
    `error: you must specify resources by --filename when --local is set.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'`,
  );
}

/** The error of a dry run in the server that is to be local. */
export const localAndServer =
  "cannot specify --local and --dry-run=server - did you mean --dry-run=client?";
