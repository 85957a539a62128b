import { stringFlag } from "../../../cli/flag.ts";
import type { DynamicObject } from "../../../client/resource-kind.ts";
import { type CommandContext, kubectlCommand } from "../../program/kubectl-command.ts";
import { findResources } from "../../resource/find-resources.ts";
import { helper } from "../../resource/helper.ts";
import { typedObject } from "../../resource/typed-object.ts";
import { type DryRun, dryRunFlags, dryRunOf } from "../shared/dry-run.ts";
import { fieldManagerFlags } from "../shared/field-manager.ts";
import { filenameFlags, filenameQuery } from "../shared/filename-flags.ts";
import { knownKinds } from "../shared/known-kinds.ts";
import { objectPrinter, outputFlags } from "../shared/object-output.ts";
import { overridden, overrideFlags } from "../shared/overrides.ts";
import { recorded, recordFlags } from "../shared/record.ts";
import { saveConfigFlags, withSavedStruct } from "../shared/saved-configuration.ts";
import { completePlan, type ServicePlan } from "./expose/complete-plan.ts";
import { serviceOf } from "./expose/exposing-service.ts";

const flags = {
  ...outputFlags,
  ...recordFlags,
  protocol: stringFlag({ usage: "The network protocol of the service. Default is 'TCP'." }),
  port: stringFlag({
    usage: "The port of the service; those of the exposed resource if not given.",
  }),
  type: stringFlag({
    usage:
      "The type of the service: ClusterIP, NodePort, LoadBalancer, or ExternalName. Default is 'ClusterIP'.",
  }),
  "load-balancer-ip": stringFlag({
    usage: "The address of the load balancer. If empty, the provider chooses one.",
  }),
  selector: stringFlag({
    usage:
      "The labels of the pods behind the service; only equality is supported. If empty (the default), that of the exposed resource.",
  }),
  labels: stringFlag({ short: "l", usage: "The labels of the new service." }),
  "target-port": stringFlag({
    usage: "The name or number of the port of the container that traffic is sent to. Optional.",
  }),
  "external-ip": stringFlag({
    usage:
      "One more address of the service, which Kubernetes does not manage: if it is routed to a node, the service is reached at it, too.",
  }),
  name: stringFlag({ usage: "The name of the new service." }),
  "session-affinity": stringFlag({
    usage: "The session affinity of the service, if any: 'None' or 'ClientIP'",
  }),
  "cluster-ip": stringFlag({
    usage:
      "The address of the service inside of the cluster. Empty for any, 'None' for a headless service.",
  }),
  ...fieldManagerFlags("kubectl-expose"),
  ...overrideFlags,
  ...dryRunFlags,
  ...saveConfigFlags,
  ...filenameFlags("identifying the resource to expose a service"),
};

type ExposeContext = CommandContext<typeof flags>;

export const exposeCommand = kubectlCommand({
  name: "expose",
  usage:
    "(-f FILENAME | TYPE NAME) [--port=port] [--protocol=TCP|UDP|SCTP] [--target-port=number-or-name] [--name=name] [--external-ip=external-ip-of-service] [--type=type]",
  short:
    "Take a replication controller, service, deployment or pod and expose it as a new Kubernetes service",
  long: `Expose a resource as a new Kubernetes service.

The service gets the selector of the resource, and the port that is given. A deployment or a replica set is only exposed if its selector consists of labels. Without --port, the service gets all ports of the resource, and without --labels its labels.

Resources that can be exposed (in upper or lower case):

pod (po), service (svc), replicationcontroller (rc), deployment (deploy), replicaset (rs)`,
  examples: `# Create a service with the port 80 for the replication controller nginx, whose containers have the port 8000
kubectl expose rc nginx --port=80 --target-port=8000

# The same for what a file names
kubectl expose -f nginx-controller.yaml --port=80 --target-port=8000

# Create the service frontend with the port 444 for a pod
kubectl expose pod valid-pod --port=444 --name=frontend

# Create a second service beside a first one, with another port of the containers
kubectl expose service nginx --port=443 --target-port=8443 --name=nginx-https

# Create a service for a streaming application that uses UDP
kubectl expose rc streamer --port=4100 --protocol=UDP --name=video-stream

# Create services for a replica set and for a deployment
kubectl expose rs nginx --port=80 --target-port=8000
kubectl expose deployment nginx --port=80 --target-port=8000`,
  flags,
  async run(context) {
    const { flags, args } = context;
    const dryRun = dryRunOf(context);
    objectPrinter(context, { operation: "exposed", dryRun });
    const found = await findResources(context, {
      ...filenameQuery(flags),
      args,
      isTyped: true,
      flattens: true,
      continuesOnError: true,
    });
    // What an object does not say is taken over from the one before, as in the original.
    let plan = planOf(flags);
    await found.visit(async (info, error) => {
      if (error) throw error;
      plan = completePlan(plan, info);
      await createService(context, serviceOf(plan), dryRun);
    });
    return undefined;
  },
});

const planOf = (flags: ExposeContext["flags"]): ServicePlan => ({
  name: flags.name,
  defaultName: "",
  selector: flags.selector,
  labels: flags.labels,
  port: flags.port,
  ports: "",
  protocol: flags.protocol,
  protocols: new Map(),
  targetPort: flags["target-port"],
  type: flags.type,
  clusterIp: flags["cluster-ip"],
  externalIp: flags["external-ip"],
  loadBalancerIp: flags["load-balancer-ip"],
  sessionAffinity: flags["session-affinity"],
});

async function createService(
  context: ExposeContext,
  generated: DynamicObject,
  dryRun: DryRun,
): Promise<void> {
  const { flags, factory, signal } = context;
  const print = objectPrinter(context, { operation: "exposed", dryRun, keepsOrder: true });
  const { namespace, isGiven } = await factory.namespace();
  const changed = await overridden(await typedObject(generated), flags);
  const service = await typedObject(recorded(context, changed));
  if (dryRun === "client") {
    const metadata = { ...service.metadata, ...(isGiven && { namespace }) };
    return print(await typedObject({ ...service, metadata }));
  }
  const requests = helper(await factory.client(), knownKinds.service, {
    isDryRun: dryRun === "server",
    fieldManager: flags["field-manager"],
    signal,
    onWarning: (text) => factory.warn(text),
  });
  const saved = flags["save-config"] ? withSavedStruct(service) : service;
  print(await typedObject(await requests.create(namespace, saved)));
}
