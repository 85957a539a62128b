import { intFlag } from "../../../../cli/flag.ts";
import type { DynamicObject } from "../../../../client/resource-kind.ts";
import { jsonText } from "../../../print/json-text.ts";
import { type CommandContext, kubectlCommand } from "../../../program/kubectl-command.ts";
import { findResources } from "../../../resource/find-resources.ts";
import { helper, type Patch } from "../../../resource/helper.ts";
import { type Info, kindOf } from "../../../resource/info.ts";
import { type DryRun, dryRunFlags, dryRunOf } from "../../shared/dry-run.ts";
import { objectPrinter, outputFlags } from "../../shared/object-output.ts";
import { lastAppliedAnnotation } from "../../shared/saved-configuration.ts";
import { type History, historyOf, type Revision, revisionAnnotation } from "./revisions.ts";
import { rolloutQuery, rolloutTargetFlags } from "./rollout-query.ts";
import { templateText } from "./template-text.ts";
import { noRolloutError, type WorkloadKind, workloadKind } from "./workload.ts";

const flags = {
  "to-revision": intFlag({
    usage: "The revision to go back to; by default (0) the one before the last.",
  }),
  ...rolloutTargetFlags,
  ...dryRunFlags,
  ...outputFlags,
};

export const undoCommand = kubectlCommand({
  name: "undo",
  usage: "(TYPE NAME | TYPE/NAME) [flags]",
  short: "Undo a previous rollout",
  long: "Go back to an earlier revision of a rollout.",
  examples: `# Go back to the revision before
kubectl rollout undo deployment/abc

# Go back to revision 3 of a daemon set
kubectl rollout undo daemonset/abc --to-revision=3`,
  flags,
  async run(context) {
    const { args, flags, io } = context;
    const dryRun = dryRunOf(context);
    const found = await findResources(context, rolloutQuery(flags, args));
    await found.visit(async (info, error) => {
      if (error) throw error;
      const { object } = info;
      if (!object) return;
      if (object.metadata.annotations?.[lastAppliedAnnotation] !== undefined)
        io.stderr.write(
          `Warning: resource ${kindOf(info).plural}/${info.name} was previously managed with 'kubectl apply'. Rolling back will not update the ${lastAppliedAnnotation} annotation, which may cause unexpected behavior on future 'kubectl apply' operations. Consider using 'kubectl apply' with your previous configuration file instead.\n`,
        );
      const workload = workloadKind(object);
      if (!workload)
        throw noRolloutError(kindOf(info), {
          retrieving: "rollbacker for",
          implemented: "rollbacker",
        });
      const operation = await rollBack(context, { info, workload, dryRun });
      objectPrinter(context, { operation, dryRun, keepsOrder: true })(object);
    });
    return undefined;
  },
});

/** Goes back to the wanted revision; returns what was done. */
async function rollBack(
  context: CommandContext<typeof flags>,
  { info, workload, dryRun }: { info: Info; workload: WorkloadKind; dryRun: DryRun },
): Promise<string> {
  const { factory, signal } = context;
  const number = context.flags["to-revision"];
  if (number < 0) throw notInHistory(number);
  const history = await historyOf(context, workload, info);
  const revision = wantedRevision(workload, history, number);
  const isDeployment = workload === "Deployment";
  if (dryRun === "client") {
    const text = templateText(revision);
    return isDeployment ? text : `will roll back to ${text}`;
  }
  const { paused, template } = history.object.spec as {
    readonly paused?: boolean;
    readonly template: DynamicObject;
  };
  if (isDeployment && paused)
    throw new Error(
      "you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again",
    );
  if (jsonText(withoutHash(revision.template)) === jsonText(withoutHash(template)))
    return `skipped rollback (current template already matches revision ${number})`;
  const requests = helper(await factory.client(), kindOf(info), {
    isDryRun: dryRun === "server",
    signal,
    onWarning: (text) => factory.warn(text),
  });
  await requests.patch(info, patchTo(revision, history)).catch((error: Error) => {
    throw new Error(`failed restoring revision ${number}: ${error.message}`, { cause: error });
  });
  return "rolled back";
}

const notInHistory = (number: number): Error =>
  new Error(`unable to find specified revision ${number} in history`);

function wantedRevision(
  workload: WorkloadKind,
  { object, revisions }: History,
  number: number,
): Revision {
  const revision = number === 0 ? revisions.at(-2) : revisions.find((one) => one.number === number);
  if (revision) return revision;
  if (number > 0) throw notInHistory(number);
  throw new Error(
    workload === "Deployment"
      ? `no rollout history found for deployment ${JSON.stringify(object.metadata.name)}`
      : "no last revision to roll back to",
  );
}

const hashLabel = "pod-template-hash";

/** A template without the label that a deployment adds for each revision. */
function withoutHash(template: DynamicObject): DynamicObject {
  const { [hashLabel]: _, ...labels } = template.metadata?.labels ?? {};
  return { ...template, metadata: { ...template.metadata, labels } };
}

/** Annotations that say something of one revision only. */
const skippedAnnotations = [
  lastAppliedAnnotation,
  revisionAnnotation,
  "deployment.kubernetes.io/revision-history",
  "deployment.kubernetes.io/desired-replicas",
  "deployment.kubernetes.io/max-replicas",
  "deprecated.deployment.rollback.to",
];

/** The patch that restores a revision: of a deployment the template and its annotations. */
function patchTo({ object, record, template }: Revision, history: History): Patch {
  if (record) return { type: "strategic", body: record.data as object };
  const annotations: Record<string, string> = {};
  for (const name of skippedAnnotations) {
    const value = history.object.metadata.annotations?.[name];
    if (value !== undefined) annotations[name] = value;
  }
  for (const [name, value] of Object.entries(object.metadata.annotations ?? {}))
    if (!skippedAnnotations.includes(name)) annotations[name] = value;
  return {
    type: "json",
    body: [
      { op: "replace", path: "/spec/template", value: withoutHash(template) },
      { op: "replace", path: "/metadata/annotations", value: annotations },
    ],
  };
}
