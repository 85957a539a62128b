import { kubectlCommand } from "../../program/kubectl-command.ts";

export const topCommand = kubectlCommand({
  name: "top",
  usage: "[flags]",
  short: "Display resource (CPU/memory) usage",
  long: `Display how much CPU and memory nodes and pods use.

The figures are those of the metrics API, which the metrics server fetches from the kubelet of each node; it must run in the cluster.

They are made for decisions of autoscalers, and so are steady rather than exact: programs such as 'top' may show others. For exact figures, histories and alerts, use a monitoring system.`,
  commands: [
    {
      name: "node",
      aliases: ["nodes", "no"],
      short: "Display resource (CPU/memory) usage of nodes",
      load: async () => (await import("./top/top-node-command.ts")).topNodeCommand,
    },
    {
      name: "pod",
      aliases: ["pods", "po"],
      short: "Display resource (CPU/memory) usage of pods",
      load: async () => (await import("./top/top-pod-command.ts")).topPodCommand,
    },
  ],
});
