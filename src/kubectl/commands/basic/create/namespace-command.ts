import { createObjectCommand } from "./create-object-command.ts";
import { newObject } from "./new-object.ts";

export const createNamespaceCommand = createObjectCommand({
  command: {
    name: "namespace",
    aliases: ["ns"],
    usage: "NAME [--dry-run=server|client|none]",
    short: "Create a namespace with the specified name",
    long: "Create a namespace with the given name.",
    examples: "# Create the namespace my-namespace\nkubectl create namespace my-namespace",
  },
  flags: {},
  kind: { group: "", version: "v1", kind: "Namespace", plural: "namespaces", scope: "Cluster" },
  needsName: true,
  generate: ({ name }) => newObject("v1 Namespace", { name }, { spec: {}, status: {} }),
});
