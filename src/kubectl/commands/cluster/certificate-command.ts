import { kubectlCommand } from "../../program/kubectl-command.ts";

export const certificateCommand = kubectlCommand({
  name: "certificate",
  usage: "SUBCOMMAND",
  short: "Modify certificate resources",
  long: "Modify certificate resources.",
  commands: [
    {
      name: "approve",
      short: "Approve a certificate signing request",
      load: async () => (await import("./certificate/decide-commands.ts")).approveCommand,
    },
    {
      name: "deny",
      short: "Deny a certificate signing request",
      load: async () => (await import("./certificate/decide-commands.ts")).denyCommand,
    },
  ],
  async run({ help }) {
    help();
    return 0;
  },
});
