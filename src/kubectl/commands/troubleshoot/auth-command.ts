import { kubectlCommand } from "../../program/kubectl-command.ts";

export const authCommand = kubectlCommand({
  name: "auth",
  usage: "[flags]",
  short: "Inspect authorization",
  long: "Inspect authorization.",
  commands: [
    {
      name: "can-i",
      short: "Check whether an action is allowed",
      load: async () => (await import("./auth/can-i-command.ts")).canICommand,
    },
    {
      name: "reconcile",
      short:
        "Reconciles rules for RBAC role, role binding, cluster role, and cluster role binding objects",
      load: async () => (await import("./auth/reconcile-command.ts")).reconcileCommand,
    },
    {
      name: "whoami",
      short: "Experimental: Check self subject attributes",
      load: async () => (await import("./auth/whoami-command.ts")).whoamiCommand,
    },
  ],
});
