import { command } from "../../../cli/command.ts";
import { tokenFlags } from "./token-connection.ts";

/** Manages the tokens with which machines join a cluster. */
export const tokenCommand = command({
  name: "token",
  short: "Manage the tokens with which machines join a cluster",
  long: `Manage bootstrap tokens: with one, a machine and a cluster get to trust each other. The machine
verifies the address and the CA of the cluster by a signature that the token has made, and the
cluster lets the machine request the certificates of a node.

A token has the form ID.SECRET, with 6 and 16 digits and lower-case letters. It is kept as the secret
bootstrap-token-ID in kube-system. Whoever knows the secret can add nodes: keep it private, and
let it expire.`,
  examples: `  # Print the command that adds a machine to the cluster
  wherry token create --print-join-command

  # List and delete tokens
  wherry token list
  wherry token delete abcdef`,
  persistentFlags: tokenFlags,
  commands: [
    {
      name: "create",
      short: "Create a token",
      load: async () => (await import("./create-command.ts")).createCommand,
    },
    {
      name: "list",
      short: "List tokens",
      load: async () => (await import("./list-command.ts")).listCommand,
    },
    {
      name: "delete",
      short: "Delete tokens",
      load: async () => (await import("./delete-command.ts")).deleteCommand,
    },
    {
      name: "generate",
      short: "Print a new token without creating it",
      load: async () => (await import("./generate-command.ts")).generateCommand,
    },
  ],
});
