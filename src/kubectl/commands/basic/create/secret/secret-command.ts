import { kubectlCommand } from "../../../../program/kubectl-command.ts";

export const createSecretCommand = kubectlCommand({
  name: "secret",
  usage: "(docker-registry | generic | tls)",
  short: "Create a secret using a specified subcommand",
  long: `Create a secret of one of three types.

docker-registry: credentials of a registry of images.

generic: any keys and values, of the type Opaque.

tls: a certificate and its private key.`,
  commands: [
    {
      name: "docker-registry",
      short: "Create a secret for use with a Docker registry",
      load: async () =>
        (await import("./secret-docker-registry-command.ts")).createSecretDockerRegistryCommand,
    },
    {
      name: "generic",
      short: "Create a secret from a local file, directory, or literal value",
      load: async () => (await import("./secret-generic-command.ts")).createSecretGenericCommand,
    },
    {
      name: "tls",
      short: "Create a TLS secret",
      load: async () => (await import("./secret-tls-command.ts")).createSecretTlsCommand,
    },
  ],
});
