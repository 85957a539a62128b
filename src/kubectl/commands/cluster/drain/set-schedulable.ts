import { quote } from "../../../../schema/values/quote.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import { helper } from "../../../resource/helper.ts";
import { type Info, kindOf } from "../../../resource/info.ts";
import type { DryRun } from "../../shared/dry-run.ts";
import { dryRunSuffix } from "../../shared/object-output.ts";

/** Marks nodes as schedulable or not, and prints what was done; errors are printed, and the next node follows. */
export async function setSchedulable(
  { factory, io, signal }: Pick<CommandContext, "factory" | "io" | "signal">,
  nodes: readonly Info[],
  { verb, dryRun }: { readonly verb: "cordon" | "uncordon"; readonly dryRun: DryRun },
): Promise<void> {
  const isUnschedulable = verb === "cordon";
  const client = await factory.client();
  for (const info of nodes) {
    const { unschedulable = false } = (info.object?.spec ?? {}) as {
      readonly unschedulable?: boolean;
    };
    const print = (operation: string): void =>
      io.stdout.write(`node/${info.name} ${operation}${dryRunSuffix[dryRun]}\n`);
    if (unschedulable === isUnschedulable) {
      print(`already ${verb}ed`);
      continue;
    }
    try {
      if (dryRun !== "client")
        await helper(client, kindOf(info), {
          isDryRun: dryRun === "server",
          signal,
          onWarning: (text) => factory.warn(text),
        }).patch(info, {
          type: "strategic",
          body: { spec: { unschedulable: isUnschedulable || null } },
        });
      print(`${verb}ed`);
    } catch (error) {
      signal.throwIfAborted();
      const why = (error as Error).message;
      io.stderr.write(`error: unable to ${verb} node ${quote(info.name)}: ${why}\n`);
    }
  }
}
