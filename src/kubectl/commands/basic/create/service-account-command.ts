import { createObjectCommand } from "./create-object-command.ts";
import { newObject } from "./new-object.ts";

export const createServiceAccountCommand = createObjectCommand({
  command: {
    name: "serviceaccount",
    aliases: ["sa"],
    usage: "NAME [--dry-run=server|client|none]",
    short: "Create a service account with the specified name",
    long: "Create a service account with the given name.",
    examples:
      "# Create the service account my-service-account\nkubectl create serviceaccount my-service-account",
  },
  flags: {},
  kind: {
    group: "",
    version: "v1",
    kind: "ServiceAccount",
    plural: "serviceaccounts",
    scope: "Namespaced",
  },
  failure: () => "failed to create serviceaccount: ",
  needsName: true,
  generate: ({ name, namespace }) => newObject("v1 ServiceAccount", { name, namespace }, {}),
});
