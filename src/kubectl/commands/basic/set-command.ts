import { kubectlCommand } from "../../program/kubectl-command.ts";

export const setCommand = kubectlCommand({
  name: "set",
  usage: "SUBCOMMAND",
  short: "Set specific features on objects",
  long: "Configure application resources.\n\nThese commands change parts of objects that exist.",
  commands: [
    {
      name: "image",
      short: "Update the image of a pod template",
      load: async () => (await import("./set/image-command.ts")).setImageCommand,
    },
    {
      name: "resources",
      short: "Update resource requests/limits on objects with pod templates",
      load: async () => (await import("./set/resources-command.ts")).setResourcesCommand,
    },
    {
      name: "selector",
      short: "Set the selector on a resource",
      load: async () => (await import("./set/selector-command.ts")).setSelectorCommand,
    },
    {
      name: "subject",
      short: "Update the user, group, or service account in a role binding or cluster role binding",
      load: async () => (await import("./set/subject-command.ts")).setSubjectCommand,
    },
    {
      name: "serviceaccount",
      aliases: ["sa"],
      short: "Update the service account of a resource",
      load: async () => (await import("./set/service-account-command.ts")).setServiceAccountCommand,
    },
    {
      name: "env",
      short: "Update environment variables on a pod template",
      load: async () => (await import("./set/env-command.ts")).setEnvCommand,
    },
  ],
});
