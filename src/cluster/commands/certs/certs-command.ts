import { command } from "../../../cli/command.ts";
import { certsFlags } from "./certs-folder.ts";

/** Shows and renews the certificates of a cluster. */
export const certsCommand = command({
  name: "certs",
  short: "Show and renew the certificates of a cluster",
  long: `Show and renew the certificates in the folder pki of a cluster's data directory.

A server renews its certificates itself, 30 days before they expire, without a restart. It also uses those that
"wherry certs renew" has written within a second. Clients that have copies, such as a kubeconfig that was copied
elsewhere, need new ones.`,
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
  ],
});
