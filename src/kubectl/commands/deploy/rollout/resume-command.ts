import { kubectlCommand } from "../../../program/kubectl-command.ts";
import { patchFlags, patchWorkloads } from "./patch-workloads.ts";
import { workloadKind } from "./workload.ts";

export const resumeCommand = kubectlCommand({
  name: "resume",
  usage: "RESOURCE",
  short: "Resume a paused resource",
  long: "Resume a paused resource.\n\nIts controller takes care of it again. Only deployments can be resumed.",
  examples: `# Resume a deployment that is paused
kubectl rollout resume deployment/nginx`,
  flags: patchFlags,
  run: (context) =>
    patchWorkloads(context, {
      operation: "resumed",
      patchOf(object) {
        if (workloadKind(object) !== "Deployment") throw new Error("resuming is not supported");
        const { paused } = (object.spec ?? {}) as { readonly paused?: boolean };
        if (!paused) throw new Error("is not paused");
        return { spec: { paused: null } };
      },
    }),
});
