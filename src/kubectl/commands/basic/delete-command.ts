import { boolFlag, stringFlag } from "../../../cli/flag.ts";
import { type CommandContext, kubectlCommand } from "../../program/kubectl-command.ts";
import { findResources, type ResourceQuery } from "../../resource/find-resources.ts";
import type { Info } from "../../resource/info.ts";
import { type Deletion, deleteObjects } from "../shared/delete-objects.ts";
import { deletionFlags, propagationOf } from "../shared/deletion-flags.ts";
import { dryRunFlags, dryRunOf } from "../shared/dry-run.ts";
import { filenameFlags, filenameQuery } from "../shared/filename-flags.ts";
import { allNamespacesFlags } from "../shared/namespace-flags.ts";
import { printWarning } from "../shared/print-warning.ts";
import { rawRequest } from "../shared/raw-request.ts";
import { fieldSelectorFlags, labelSelectorFlags } from "../shared/selector-flags.ts";
import { confirmDeletion, placeOf } from "./delete/confirm-deletion.ts";
import { checkRawDeletion } from "./delete/raw-deletion.ts";

const flags = {
  ...filenameFlags("containing the resource to delete."),
  ...labelSelectorFlags,
  ...fieldSelectorFlags,
  all: boolFlag({
    usage: "Delete all resources of the named types, in the namespace if they have one.",
  }),
  ...allNamespacesFlags,
  ...deletionFlags,
  now: boolFlag({
    usage: "If true, resources are told to shut down at once (same as --grace-period=1).",
  }),
  "ignore-not-found": boolFlag({
    usage:
      'Treat "resource not found" as a successful delete. Defaults to "true" when --all is specified.',
  }),
  wait: { ...deletionFlags.wait, default: true, shownDefault: "true" },
  output: stringFlag({
    short: "o",
    usage: 'Output mode. Use "-o name" for shorter output (resource/name).',
  }),
  raw: stringFlag({
    usage: "Raw URI to DELETE to the server, through the kubeconfig's transport.",
  }),
  interactive: boolFlag({
    short: "i",
    usage: "If true, delete resources only when the user confirms it.",
  }),
  ...dryRunFlags,
};

type DeleteContext = CommandContext<typeof flags>;

export const deleteCommand = kubectlCommand({
  name: "delete",
  usage: "([-f FILENAME] | [-k DIRECTORY] | TYPE [(NAME | -l label | --all)])",
  short:
    "Delete resources by file names, stdin, resources and names, or by resources and label selector",
  long: `Delete resources by file names, stdin, resources and names, or by resources and label selector.

JSON and YAML formats are accepted. Only one kind of argument may be given: files, resources and names, or resources and a label selector.

Some resources, such as pods, end gracefully: they have a period before they are killed, which --grace-period changes, and --now sets to one second. The server may confirm a deletion before it is done, and if the node of a pod does not respond, it takes longer than the grace period. With --force, an object is removed at once. Resources that know no graceful deletion ignore the period.

IMPORTANT: The forced deletion of a pod does not wait until its processes have ended; they may go on until the node learns of the deletion. Processes that use shared storage, or that rely on the name of the pod, may then run twice and damage data. Only force it when the pod is certainly gone, or when copies may run side by side. The scheduler may also place new pods on the node before it has freed what the old ones had.

Versions are not compared: what others change at the same moment is lost with the rest.

After a CustomResourceDefinition was deleted, the discovery cache may know it for up to six hours; "kubectl api-resources" refreshes it.`,
  examples: `# Delete the pod that a file names
kubectl delete -f ./pod.json

# Delete what a kustomization makes
kubectl delete -k dir

# Delete the objects of all files that end with '.json'
kubectl delete -f '*.json'

# Delete the pod in a manifest from stdin
cat pod.json | kubectl delete -f -

# Delete the pods and the services baz and foo
kubectl delete pod,service baz foo

# Delete pods and services with the label name=myLabel
kubectl delete pods,services -l name=myLabel

# Delete a pod with little delay
kubectl delete pod foo --now

# Delete a pod of a dead node by force
kubectl delete pod foo --force

# Delete all pods
kubectl delete pods --all

# Delete all pods if the user confirms it
kubectl delete pods --all --interactive`,
  flags,
  async run(context) {
    const { flags, args, io } = context;
    const propagation = propagationOf(context);
    const { isGiven } = await context.factory.namespace();
    const gracePeriod = gracePeriodOf(flags);
    const dryRun = dryRunOf(context);
    const query = deleteQuery(flags, args);
    const found = flags.raw === "" ? await findResources(context, query) : undefined;
    const preview = found && flags.interactive ? await findResources(context, query) : undefined;
    checkFlags(flags);
    if (gracePeriod === 0 && flags.force)
      printWarning(
        io,
        "Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.",
      );
    if (flags.force && gracePeriod > 0)
      throw new Error("--force and --grace-period greater than 0 cannot be specified together");
    if (!found) {
      checkRawDeletion(flags);
      const [filename = ""] = flags.filename;
      return rawRequest(context, { method: "DELETE", uri: flags.raw, filename });
    }
    const ignoresNotFound = ignoresMissing(context);
    const chosen = preview && (await confirmDeletion(context, preview, ignoresNotFound));
    if (preview && !chosen) return undefined;
    const deletion: Deletion = {
      gracePeriod,
      propagation,
      dryRun,
      ignoresNotFound,
      warnsOfClusterScope: isGiven && !flags["all-namespaces"],
      output: flags.output,
      waits: flags.wait,
      timeoutMs: flags.timeout,
      ...(chosen && { isChosen: (info: Info) => chosen.has(placeOf(info)) }),
    };
    await deleteObjects(context, found, deletion);
    return undefined;
  },
});

type DeleteValues = DeleteContext["flags"];

function gracePeriodOf(flags: DeleteValues): number {
  const given = flags["grace-period"];
  if (flags.now && given !== -1)
    throw new Error("--now and --grace-period cannot be specified together");
  if (flags.now) return 1;
  // Without --force, zero would lose data without a question.
  if (given === 0 && !flags.force) return 1;
  return flags.force && given < 0 ? 0 : given;
}

function deleteQuery(flags: DeleteValues, args: readonly string[]): ResourceQuery {
  if (flags.all && (flags.selector !== "" || flags["field-selector"] !== ""))
    throw new Error("setting 'all' parameter but found a non empty selector. ");
  return {
    ...filenameQuery(flags),
    args,
    labelSelector: flags.selector,
    fieldSelector: flags["field-selector"],
    isAll: flags.all,
    isAllNamespaces: flags["all-namespaces"],
    continuesOnError: true,
    flattens: true,
    skipsRequests: true,
  };
}

/** Selections may come to nothing; unless a flag says otherwise, that is no error. */
function ignoresMissing({ flags, given }: DeleteContext): boolean {
  const selects = flags.all || flags.selector !== "" || flags["field-selector"] !== "";
  return selects && !given.has("ignore-not-found") ? true : flags["ignore-not-found"];
}

function checkFlags({ output, all, selector, ...flags }: DeleteValues): void {
  if (output !== "" && output !== "name")
    throw new Error(`unexpected -o output mode: ${output}. We only support '-o name'`);
  if (all && selector !== "") throw new Error("cannot set --all and --selector at the same time");
  if (all && flags["field-selector"] !== "")
    throw new Error("cannot set --all and --field-selector at the same time");
}
