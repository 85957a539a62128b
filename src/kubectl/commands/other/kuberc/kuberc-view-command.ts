import type { DynamicObject } from "../../../../client/resource-kind.ts";
import type { Preference } from "../../../kuberc/preference.ts";
import { preferenceObject, savePreference } from "../../../kuberc/save-preference.ts";
import { actionPrintFlags } from "../../../print/print-flags.ts";
import { readAll } from "../../../program/io.ts";
import { kubectlCommand } from "../../../program/kubectl-command.ts";
import { objectPrinter } from "../../shared/object-output.ts";
import { requireKuberc } from "./kuberc-path.ts";
import { readPreference } from "./read-preference.ts";

export const kubercViewCommand = kubectlCommand({
  name: "view",
  short: "Display the current kuberc configuration",
  long: "Display the contents of the kuberc file in the specified output format.",
  examples: `# View kuberc configuration in YAML format (default)
kubectl kuberc view

# View kuberc configuration in JSON format
kubectl kuberc view --output json

# View a specific kuberc file
kubectl kuberc view --kuberc /path/to/kuberc`,
  flags: actionPrintFlags("yaml"),
  async run(context) {
    const { io, cwd } = context;
    const { path, isExplicit } = requireKuberc(context);
    const preference = readPreference(path, cwd);
    if (!preference) {
      if (isExplicit) throw new Error(`kuberc file not found at ${path}`);
      io.stdout.write(
        `kuberc file not found at ${path}\nWould you like to generate a default kuberc file with recommended options? (y/N): `,
      );
      const answer = Buffer.from(await readAll(io.stdin))
        .toString("utf8")
        .split(/\s/)[0];
      if (answer?.toLowerCase() === "y") savePreference(context, path, recommended);
      return undefined;
    }
    const { defaults, aliases } = preference;
    const whole = { ...preference, defaults: defaults ?? [], aliases: aliases ?? [] };
    const print = objectPrinter(context, { keepsOrder: true });
    print(preferenceObject(whole) as unknown as DynamicObject);
    return undefined;
  },
});

const recommended: Preference = {
  defaults: [
    { command: "apply", options: [{ name: "server-side", default: "true" }] },
    { command: "delete", options: [{ name: "interactive", default: "true" }] },
  ],
};
