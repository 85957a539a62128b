import { command } from "../../../cli/command.ts";
import { certsFlags } from "./certs-folder.ts";

/** Shows, renews and rotates the certificates and keys of a cluster. */
export const certsCommand = command({
  name: "certs",
  short: "Show, renew and rotate the certificates of a cluster",
  long: `Show, renew and rotate the certificates in the folder pki of a cluster's data directory.

A server renews its certificates itself, 30 days before they expire, without a restart. It also uses those that
"wherry certs renew" has written within a second. Clients that have copies, such as a kubeconfig that was copied
elsewhere, need new ones.

The authorities that have signed them, and the keys that sign tokens of service accounts, are replaced step by step
while the cluster runs: see "wherry certs rotate-ca --help".`,
  examples: `  # When do the certificates of the cluster "wherry" expire?
  wherry certs check

  # Renew all certificates of an API server
  wherry certs renew --data-dir ./data`,
  persistentFlags: certsFlags,
  commands: [
    {
      name: "check",
      short: "Show when certificates expire",
      load: async () => (await import("./check-command.ts")).checkCommand,
    },
    {
      name: "renew",
      short: "Issue certificates again",
      load: async () => (await import("./renew-command.ts")).renewCommand,
    },
    {
      name: "rotate-ca",
      short: "Replace the authorities that sign certificates, step by step",
      load: async () => (await import("./rotate-ca-command.ts")).rotateCaCommand,
    },
    {
      name: "rotate-service-account-keys",
      short: "Replace the key that signs tokens of service accounts, step by step",
      load: async () => (await import("./rotate-token-keys-command.ts")).rotateTokenKeysCommand,
    },
  ],
});
