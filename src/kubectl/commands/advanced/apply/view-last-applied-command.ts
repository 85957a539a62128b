import { boolFlag, stringFlag } from "../../../../cli/flag.ts";
import { jsonValue, parseJson } from "../../../../schema/json/strict-json.ts";
import { toYaml } from "../../../../schema/yaml/yaml.ts";
import { orderedJsonText } from "../../../print/json-text.ts";
import { usageError, withSource } from "../../../program/command-error.ts";
import { kubectlCommand } from "../../../program/kubectl-command.ts";
import { findResources } from "../../../resource/find-resources.ts";
import { filenameFlags, filenameQuery } from "../../shared/filename-flags.ts";
import { lastAppliedAnnotation } from "../../shared/saved-configuration.ts";
import { labelSelectorFlags } from "../../shared/selector-flags.ts";

export const viewLastAppliedCommand = kubectlCommand({
  name: "view-last-applied",
  usage: "(TYPE [NAME | -l label] | TYPE/NAME | -f FILENAME)",
  short: "View the latest last-applied-configuration annotations of a resource/object",
  long: "View the configuration that was applied last to objects, as their annotations have it, in YAML or JSON.",
  examples: `# View what was applied last to a deployment
kubectl apply view-last-applied deployment/nginx

# View what was applied last to the objects of a file, in JSON
kubectl apply view-last-applied -f deploy.yaml -o json`,
  flags: {
    output: stringFlag({
      short: "o",
      default: "yaml",
      usage: "Output format. Must be one of (yaml, json)",
    }),
    all: boolFlag({
      usage: "Select all resources in the namespace of the specified resource types",
    }),
    ...filenameFlags("that contains the last-applied-configuration annotations"),
    ...labelSelectorFlags,
  },
  async run(context) {
    const { flags, args, factory, io, path } = context;
    const { isGiven } = await factory.namespace();
    const found = await findResources(context, {
      ...filenameQuery(flags),
      args,
      allowsTypeAlone: isGiven,
      isAll: flags.all,
      labelSelector: flags.selector,
      isLatest: true,
      flattens: true,
    });
    const texts: string[] = [];
    await found.visit((info, error) => {
      if (error) throw error;
      const text = info.object?.metadata.annotations?.[lastAppliedAnnotation];
      if (text !== undefined) texts.push(text);
      else if (info.source !== "")
        throw withSource(
          `no last-applied-configuration annotation found on resource: ${info.name}\n`,
          info.source,
          new Error("<nil>"),
        );
    });
    for (const text of texts) {
      if (flags.output === "json") {
        const end = /\s*$/.exec(text)?.[0] ?? "";
        io.stdout.write(`${orderedJsonText(jsonValue(parseJson(text)), 2)}${end}`);
      } else if (flags.output === "yaml") io.stdout.write(toYaml(JSON.parse(text)));
      else
        throw usageError(
          path,
          `Unexpected -o output mode: ${flags.output}, the flag 'output' must be one of yaml|json`,
        );
    }
    return undefined;
  },
});
