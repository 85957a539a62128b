import { CustomResourceDefinition } from "../../../api/apiextensions/v1/custom-resource-definition.ts";
import { command } from "../../../cli/command.ts";
import { stringFlag } from "../../../cli/flag.ts";
import { UsageError } from "../../../cli/parse-flags.ts";
import { ignoreNotFound } from "../../../client/ignore-not-found.ts";
import type { ComparedDefinition } from "../../../custom-kinds/compare/compare-definitions.ts";
import type { Definition } from "../../../custom-kinds/language/kind-definition.ts";
import { connect } from "../../../kubeconfig/connect.ts";
import { checkReport } from "./check-report.ts";
import { readDefinitions } from "./read-definitions.ts";

/** Checks whether a change of definitions is compatible. */
export const checkCommand = command({
  name: "check",
  short: "Check whether a change of definitions is compatible",
  long: `Compare the definitions of FILE with those of a cluster, or of the file that --against names,
and print each change that matters, with its path and what to do.

A change is incompatible if clients that were right are rejected or understand objects otherwise,
or if objects that are stored lose members: members that are removed or become required, types
that change, bounds and rules that are new or tighter, values that are no longer accepted,
defaults that change, versions that are removed or no longer served, subresources that are gone.
What an API server would reject is incompatible, too. Notes are changes that one should know of.

FILE is a module that exports kinds of wherry/schema (see "wherry crd generate"), or has manifests
in YAML or JSON. Definitions that the cluster does not have are new, and compatible.

Exit codes: 0 when all changes are compatible, 1 when one is not.`,
  arguments: "FILE",
  arity: { min: 1, max: 1 },
  examples: `  # Compare with the cluster that kubectl uses
  wherry crd check src/widget.ts

  # Compare with what was released
  git show v1.2.0:manifests/crds.yaml | wherry crd check src/widget.ts --against -`,
  flags: {
    against: stringFlag({ usage: "compare with this `FILE` instead of a cluster" }),
    context: stringFlag({ usage: "the context to use (default: the current one)" }),
    kubeconfig: stringFlag({
      usage: "the kubeconfig `FILE` (default: the one that kubectl uses)",
    }),
  },
  async run({ flags, args: [file = ""], streams, signal }) {
    const { against, context, kubeconfig } = flags;
    if (against !== "" && (context !== "" || kubeconfig !== ""))
      throw new UsageError([
        "--against excludes --context and --kubeconfig: definitions are compared with one place",
      ]);
    const next = await readDefinitions(file, signal);
    const old =
      against === ""
        ? await inCluster([...next.keys()], { context, kubeconfig, signal })
        : await readDefinitions(against, signal);
    const { text, isCompatible } = checkReport(old, next);
    streams.stdout.write(text);
    return isCompatible ? 0 : 1;
  },
});

interface Place {
  readonly context: string;
  readonly kubeconfig: string;
  readonly signal: AbortSignal;
}

async function inCluster(
  names: readonly string[],
  { context, kubeconfig, signal }: Place,
): Promise<ReadonlyMap<string, Definition & ComparedDefinition>> {
  const connection = await connect({
    path: kubeconfig || undefined,
    context: context || undefined,
    inCluster: false,
  });
  try {
    const found = new Map<string, Definition & ComparedDefinition>();
    for (const name of names) {
      const definition = await ignoreNotFound(
        connection.client.get(CustomResourceDefinition, { name }, { signal }),
      );
      if (definition) found.set(name, definition);
    }
    return found;
  } finally {
    connection.close();
  }
}
