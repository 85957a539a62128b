import { command } from "../../../cli/command.ts";
import { definitionErrors } from "../../../custom-kinds/definitions/definition-errors.ts";
import { toYaml } from "../../../schema/yaml/yaml.ts";
import { readDefinitions } from "./read-definitions.ts";

/** Prints the manifests of the kinds that a module exports. */
export const generateCommand = command({
  name: "generate",
  short: "Print the manifests of declared kinds",
  long: `Print the CustomResourceDefinitions of the kinds that a module exports, as YAML. The kinds are
declared with wherry/schema; manifests that the module exports as objects are printed, too.
A kind that is listed in the otherVersions of another one is a version of that one's manifest.

The manifests are validated as an API server would, rules in CEL included. If it would reject
one, the errors are printed, and the exit code is 1.

Modules in JavaScript (.js, .mjs, .cjs) are loaded as they are. Modules in TypeScript are bundled
with the esbuild of their project, if there is one; otherwise Node.js must be able to run them
(22.18 or later). The module runs in a process of its own.`,
  arguments: "FILE",
  arity: { min: 1, max: 1 },
  examples: `  wherry crd generate src/widget.ts > manifests/crds.yaml

  # Apply them at once
  wherry crd generate build/widget.js | kubectl apply -f -`,
  async run({ args: [file = ""], streams, signal }) {
    const definitions = await readDefinitions(file, signal);
    let isInvalid = false;
    for (const [name, definition] of definitions)
      for (const error of definitionErrors(definition)) {
        streams.stderr.write(`Error: ${name}: ${error}\n`);
        isInvalid = true;
      }
    if (isInvalid) return 1;
    streams.stdout.write([...definitions.values()].map((each) => toYaml(each)).join("---\n"));
    return 0;
  },
});
