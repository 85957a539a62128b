import { kubectlCommand } from "../../../program/kubectl-command.ts";
import { dryRunOf } from "../../shared/dry-run.ts";
import { objectPrinter } from "../../shared/object-output.ts";
import { recorded, recordFlags } from "../../shared/record.ts";
import { patchObjects } from "./patch-objects.ts";
import { withPodSpec } from "./pod-spec.ts";
import { findTyped, localAndServer, setFlags } from "./set-flags.ts";

export const setServiceAccountCommand = kubectlCommand({
  name: "serviceaccount",
  aliases: ["sa"],
  usage: "(-f FILENAME | TYPE NAME) SERVICE_ACCOUNT",
  short: "Update the service account of a resource",
  long: `Update the service account of pod templates.

Possible resources (case insensitive) can be:

  replicationcontroller (rc), deployment (deploy), daemonset (ds), job, replicaset (rs), statefulset`,
  examples: `# Set the service account of a deployment
kubectl set serviceaccount deployment nginx-deployment serviceaccount1

# Print what a change of a file would be, without a server
kubectl set sa -f nginx-deployment.yaml serviceaccount1 --local --dry-run=client -o yaml`,
  flags: {
    ...recordFlags,
    ...setFlags("identifying the resource to get from a server.", "serviceaccount"),
  },
  async run(context) {
    const { flags, args } = context;
    const dryRun = dryRunOf(context);
    if (flags.local && dryRun === "server") throw new Error(localAndServer);
    objectPrinter(context);
    const serviceAccountName = args.at(-1);
    if (serviceAccountName === undefined) throw new Error("serviceaccount is required");
    const infos = await findTyped(context, flags, { args: args.slice(0, -1) });
    return patchObjects(context, infos, {
      operation: "serviceaccount updated",
      dryRun,
      failure: "failed to patch ServiceAccountName ",
      sendsUnchanged: true,
      errors: [],
      change: (object) =>
        recorded(
          context,
          withPodSpec(object, (spec) => ({ ...spec, serviceAccountName })),
        ),
    });
  },
});
