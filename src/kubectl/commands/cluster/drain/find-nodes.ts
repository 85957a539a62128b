import { usageError } from "../../../program/command-error.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import { namesOfType } from "../../../resource/arguments.ts";
import { findResources } from "../../../resource/find-resources.ts";
import { type Info, kindOf } from "../../../resource/info.ts";
import { kubectlScheme } from "../../../resource/typed-object.ts";
import { type DryRun, dryRunOf } from "../../shared/dry-run.ts";

interface NodeFlags {
  readonly selector: string;
  readonly "chunk-size"?: number;
}

/** The nodes that arguments or a selector name, and whether the command is only tried out. */
export async function findNodes(
  context: Pick<
    CommandContext,
    "factory" | "io" | "cwd" | "signal" | "flags" | "args" | "given" | "path"
  >,
  usage: string,
): Promise<{ readonly nodes: readonly Info[]; readonly dryRun: DryRun }> {
  const { args, given, path } = context;
  const { selector, "chunk-size": chunkSize = 500 } = context.flags as unknown as NodeFlags;
  if (args.length === 0 && !given.has("selector"))
    throw usageError(path, `USAGE: ${usage} [flags]`);
  if (args.length > 0 && selector !== "")
    throw usageError(path, "error: cannot specify both a node name and a --selector option");
  const dryRun = dryRunOf(context);
  const found = await findResources(context, {
    named: namesOfType("nodes", args),
    ...(selector !== "" && { args: ["nodes"], labelSelector: selector }),
    isSingleType: true,
    flattens: true,
    chunkSize,
    enforcesNamespace: false,
    scheme: kubectlScheme,
  });
  const nodes: Info[] = [];
  await found.visit((info, error) => {
    if (error) throw error;
    const { group, version, plural } = kindOf(info);
    if (group !== "" || plural !== "nodes")
      throw new Error(
        `error: expected resource of type node, got "${group}/${version}, Resource=${plural}"`,
      );
    nodes.push(info);
  });
  return { nodes, dryRun };
}
