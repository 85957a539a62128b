import { command } from "../../../cli/command.ts";

/** Works with the definitions of custom kinds. */
export const crdCommand = command({
  name: "crd",
  short: "Generate, compare and type the definitions of custom kinds",
  long: `Work with CustomResourceDefinitions. "generate" prints the manifests of kinds that a module
declares with wherry/schema; "check" tells whether a change of them is compatible; "types" prints
TypeScript types for definitions that others have written.`,
  examples: `  # Write the manifests of the kinds that a module exports, and apply them
  wherry crd generate src/widget.ts > manifests/crds.yaml
  kubectl apply -f manifests/crds.yaml

  # In CI: does the change break clients or objects of the cluster?
  wherry crd check src/widget.ts --context production

  # Types for a kind of somebody else
  kubectl get crd certificates.cert-manager.io -o yaml > certificate.yaml
  wherry crd types certificate.yaml > src/certificate.ts`,
  commands: [
    {
      name: "generate",
      short: "Print the manifests of declared kinds",
      load: async () => (await import("./generate-command.ts")).generateCommand,
    },
    {
      name: "check",
      short: "Check whether a change of definitions is compatible",
      load: async () => (await import("./check-command.ts")).checkCommand,
    },
    {
      name: "types",
      short: "Print TypeScript types for definitions",
      load: async () => (await import("./types-command.ts")).typesCommand,
    },
  ],
});
