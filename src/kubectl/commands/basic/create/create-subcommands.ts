import type { LazyCommand } from "../../../program/kubectl-command.ts";

/** What `kubectl create` can create without a file. */
export const createSubcommands: readonly LazyCommand[] = [
  {
    name: "clusterrole",
    short: "Create a cluster role",
    load: async () => (await import("./cluster-role-command.ts")).createClusterRoleCommand,
  },
  {
    name: "clusterrolebinding",
    short: "Create a cluster role binding for a particular cluster role",
    load: async () =>
      (await import("./cluster-role-binding-command.ts")).createClusterRoleBindingCommand,
  },
  {
    name: "configmap",
    aliases: ["cm"],
    short: "Create a config map from a local file, directory or literal value",
    load: async () => (await import("./config-map-command.ts")).createConfigMapCommand,
  },
  {
    name: "cronjob",
    aliases: ["cj"],
    short: "Create a cron job with the specified name",
    load: async () => (await import("./cron-job-command.ts")).createCronJobCommand,
  },
  {
    name: "deployment",
    aliases: ["deploy"],
    short: "Create a deployment with the specified name",
    load: async () => (await import("./deployment-command.ts")).createDeploymentCommand,
  },
  {
    name: "ingress",
    aliases: ["ing"],
    short: "Create an ingress with the specified name",
    load: async () => (await import("./ingress-command.ts")).createIngressCommand,
  },
  {
    name: "job",
    short: "Create a job with the specified name",
    load: async () => (await import("./job-command.ts")).createJobCommand,
  },
  {
    name: "namespace",
    aliases: ["ns"],
    short: "Create a namespace with the specified name",
    load: async () => (await import("./namespace-command.ts")).createNamespaceCommand,
  },
  {
    name: "poddisruptionbudget",
    aliases: ["pdb"],
    short: "Create a pod disruption budget with the specified name",
    load: async () =>
      (await import("./pod-disruption-budget-command.ts")).createPodDisruptionBudgetCommand,
  },
  {
    name: "priorityclass",
    aliases: ["pc"],
    short: "Create a priority class with the specified name",
    load: async () => (await import("./priority-class-command.ts")).createPriorityClassCommand,
  },
  {
    name: "quota",
    aliases: ["resourcequota"],
    short: "Create a quota with the specified name",
    load: async () => (await import("./quota-command.ts")).createQuotaCommand,
  },
  {
    name: "role",
    short: "Create a role with single rule",
    load: async () => (await import("./role-command.ts")).createRoleCommand,
  },
  {
    name: "rolebinding",
    short: "Create a role binding for a particular role or cluster role",
    load: async () => (await import("./role-binding-command.ts")).createRoleBindingCommand,
  },
  {
    name: "secret",
    short: "Create a secret using a specified subcommand",
    load: async () => (await import("./secret/secret-command.ts")).createSecretCommand,
  },
  {
    name: "service",
    aliases: ["svc"],
    short: "Create a service using a specified subcommand",
    load: async () => (await import("./service-command.ts")).createServiceCommand,
  },
  {
    name: "serviceaccount",
    aliases: ["sa"],
    short: "Create a service account with the specified name",
    load: async () => (await import("./service-account-command.ts")).createServiceAccountCommand,
  },
  {
    name: "token",
    short: "Request a service account token",
    load: async () => (await import("./token-command.ts")).createTokenCommand,
  },
];
