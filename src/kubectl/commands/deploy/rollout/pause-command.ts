import { kubectlCommand } from "../../../program/kubectl-command.ts";
import { patchFlags, patchWorkloads } from "./patch-workloads.ts";
import { workloadKind } from "./workload.ts";

export const pauseCommand = kubectlCommand({
  name: "pause",
  usage: "RESOURCE",
  short: "Mark the provided resource as paused",
  long: 'Mark a resource as paused.\n\nIts controller leaves paused resources alone until "kubectl rollout resume". Only deployments can be paused.',
  examples: `# Pause a deployment: its pods stay, and changes of it have no effect for now
kubectl rollout pause deployment/nginx`,
  flags: patchFlags,
  run: (context) =>
    patchWorkloads(context, {
      operation: "paused",
      patchOf(object) {
        if (workloadKind(object) !== "Deployment") throw new Error("pausing is not supported");
        const { paused } = (object.spec ?? {}) as { readonly paused?: boolean };
        if (paused) throw new Error("is already paused");
        return { spec: { paused: true } };
      },
    }),
});
