import { intFlag } from "../../../../cli/flag.ts";
import { type CommandContext, kubectlCommand } from "../../../program/kubectl-command.ts";
import { findResources } from "../../../resource/find-resources.ts";
import { type Info, kindOf } from "../../../resource/info.ts";
import { objectPrinter, outputFlags } from "../../shared/object-output.ts";
import { historyOf, historyTable, type Revision } from "./revisions.ts";
import { rolloutQuery, rolloutTargetFlags } from "./rollout-query.ts";
import { revisionText } from "./template-text.ts";
import { noRolloutError, workloadKind } from "./workload.ts";

const flags = {
  revision: intFlag({ usage: "The revision of which all is shown, including its pod template" }),
  ...rolloutTargetFlags,
  ...outputFlags,
};

export const historyCommand = kubectlCommand({
  name: "history",
  usage: "(TYPE NAME | TYPE/NAME) [flags]",
  short: "View rollout history",
  long: "View the revisions of a rollout, and their pod templates.",
  examples: `# View the revisions of a deployment
kubectl rollout history deployment/abc

# View revision 3 of a daemon set
kubectl rollout history daemonset/abc --revision=3`,
  flags,
  async run(context) {
    const { args, flags, given } = context;
    const query = rolloutQuery(flags, args);
    if (flags.revision < 0)
      throw new Error(`revision must be a positive integer: ${flags.revision}`);
    const found = await findResources(context, query);
    const isPrinted = given.has("output");
    await found.visit(async (info, error) => {
      if (error) throw error;
      await (isPrinted ? printRevisions(context, info) : printHistory(context, info));
    });
    return undefined;
  },
});

type HistoryContext = CommandContext<typeof flags>;

async function revisionsOf(context: HistoryContext, info: Info): Promise<readonly Revision[]> {
  const workload = info.object && workloadKind(info.object);
  if (!workload)
    throw noRolloutError(kindOf(info), {
      retrieving: "history for",
      implemented: "history viewer",
    });
  return (await historyOf(context, workload, info)).revisions;
}

function wantedRevision(revisions: readonly Revision[], number: number): Revision {
  const revision = revisions.find((one) => one.number === number);
  if (!revision) throw new Error("unable to find the specified revision");
  return revision;
}

async function printRevisions(context: HistoryContext, info: Info): Promise<void> {
  const print = objectPrinter(context, { keepsOrder: true });
  const revisions = await revisionsOf(context, info);
  const { revision } = context.flags;
  const printed = revision > 0 ? [wantedRevision(revisions, revision)] : revisions;
  for (const { object } of printed) print(object);
}

async function printHistory(context: HistoryContext, info: Info): Promise<void> {
  const revisions = await revisionsOf(context, info);
  const { revision } = context.flags;
  const text =
    revision > 0 && revisions.length > 0
      ? revisionText(wantedRevision(revisions, revision))
      : historyTable(revisions);
  const operation = `${revision > 0 ? `with revision #${revision}` : ""}\n${text}`;
  if (info.object) objectPrinter(context, { operation })(info.object);
}
