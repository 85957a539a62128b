import { command } from "../../../cli/command.ts";
import { moduleOfDefinitions } from "../../../custom-kinds/typescript/module-of-definitions.ts";
import { readDefinitions } from "./read-definitions.ts";

/** Prints TypeScript types of definitions. */
export const typesCommand = command({
  name: "types",
  short: "Print TypeScript types for definitions",
  long: `Print a module in TypeScript for CustomResourceDefinitions that others have written: for each
served version the types of its objects, with the descriptions of the schema, and a kind that
clients and informers of wherry/client take.

The version that objects are stored in has the name of the kind, others have the version in their
name, such as CertificateV1Beta1. Where a schema has defaults, what a client may write is another
type, such as CertificateInput. FILE has manifests in YAML or JSON; "-" is standard input.`,
  arguments: "FILE",
  arity: { min: 1, max: 1 },
  examples: `  kubectl get crd certificates.cert-manager.io -o yaml | wherry crd types - > src/certificate.ts`,
  async run({ args: [file = ""], streams, signal }) {
    const definitions = await readDefinitions(file, signal);
    streams.stdout.write(moduleOfDefinitions([...definitions.values()]));
    return 0;
  },
});
