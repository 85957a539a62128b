import type { DynamicObject } from "../../../../client/resource-kind.ts";
import { kubectlCommand } from "../../../program/kubectl-command.ts";
import { localTime } from "../../shared/local-time.ts";
import { patchFlags, patchWorkloads } from "./patch-workloads.ts";
import { workloadKind } from "./workload.ts";

export const restartCommand = kubectlCommand({
  name: "restart",
  usage: "RESOURCE",
  short: "Restart a resource",
  long: "Restart a resource: its pods are replaced as in any other rollout.",
  examples: `# Restart all deployments of a namespace
kubectl rollout restart deployment -n test-namespace

# Restart a deployment
kubectl rollout restart deployment/nginx

# Restart deployments with a label
kubectl rollout restart deployment --selector=app=nginx`,
  flags: patchFlags,
  run: (context) =>
    patchWorkloads(context, {
      operation: "restarted",
      patchOf: (object) => restartPatch(object, localTime(context.factory.clock.now())),
    }),
});

const restartedAt = "kubectl.kubernetes.io/restartedAt";

/** The patch that makes a controller replace all pods; empty if the object was restarted in this second. */
function restartPatch(object: DynamicObject, now: string): object {
  const kind = workloadKind(object);
  if (kind === undefined) throw new Error("restarting is not supported");
  const spec = object.spec as {
    readonly paused?: boolean;
    readonly template?: {
      readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
    };
  };
  if (kind === "Deployment" && spec.paused)
    throw new Error("can't restart paused deployment (run rollout resume first)");
  if (spec.template?.metadata?.annotations?.[restartedAt] === now) return {};
  return { spec: { template: { metadata: { annotations: { [restartedAt]: now } } } } };
}
