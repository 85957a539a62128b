import { kubectlCommand } from "../../../program/kubectl-command.ts";

export const createServiceCommand = kubectlCommand({
  name: "service",
  aliases: ["svc"],
  usage: "[flags]",
  short: "Create a service using a specified subcommand",
  long: "Create a service of one of four types.",
  commands: [
    {
      name: "clusterip",
      short: "Create a ClusterIP service",
      load: async () => (await import("./service-types.ts")).createClusterIpCommand,
    },
    {
      name: "externalname",
      short: "Create an ExternalName service",
      load: async () => (await import("./service-types.ts")).createExternalNameCommand,
    },
    {
      name: "loadbalancer",
      short: "Create a LoadBalancer service",
      load: async () => (await import("./service-types.ts")).createLoadBalancerCommand,
    },
    {
      name: "nodeport",
      short: "Create a NodePort service",
      load: async () => (await import("./service-types.ts")).createNodePortCommand,
    },
  ],
});
