import { boolFlag, stringFlag } from "../../../cli/flag.ts";
import { kubectlCommand } from "../../program/kubectl-command.ts";
import { explainByV2 } from "./explain/explain-by-v2.ts";
import { explainByV3 } from "./explain/explain-by-v3.ts";
import { groupVersionOf, requestedFields } from "./explain/requested-fields.ts";

const suggestion = 'Use "kubectl api-resources" for a complete list of supported resources.';

export const explainCommand = kubectlCommand({
  name: "explain",
  usage:
    "TYPE [--recursive=FALSE|TRUE] [--api-version=api-version-group] [-o|--output=plaintext|plaintext-openapiv2]",
  short: "Get documentation for a resource",
  long: `Describe fields and structure of various resources.

The fields of a resource are explained, or those of one of its fields, which is named by a path:

  <type>.<fieldName>[.<fieldName>]

What is said about them comes from the OpenAPI documents of the server.

${suggestion}`,
  examples: `# Get the documentation of the resource and its fields
kubectl explain pods

# Get all the fields in the resource
kubectl explain pods --recursive

# Get the explanation for deployment in supported api versions
kubectl explain deployments --api-version=apps/v1

# Get the documentation of a specific field of a resource
kubectl explain pods.spec.containers

# Get the documentation of resources in different format
kubectl explain deployment --output=plaintext-openapiv2`,
  flags: {
    recursive: boolFlag({ short: "R", usage: "Print the fields of fields, without descriptions" }),
    "api-version": stringFlag({
      usage: "Get different explanations for particular API version (API group/version)",
    }),
    output: stringFlag({
      short: "o",
      default: "plaintext",
      usage: "Format in which to render the schema (plaintext, plaintext-openapiv2)",
    }),
  },
  async run(context) {
    const { args, flags } = context;
    const [path] = args;
    if (path === undefined)
      throw new Error(`You must specify the type of resource to explain. ${suggestion}\n`);
    if (args.length > 1) throw new Error("We accept only this format: explain RESOURCE\n");
    const apiVersion = flags["api-version"];
    const requested = await requestedFields(context, path, apiVersion === "");
    const options = { isRecursive: flags.recursive };
    if (flags.output === "plaintext-openapiv2")
      await explainByV2(context, { ...requested, apiVersion }, options);
    else {
      const { group, version } =
        apiVersion === "" ? requested.resource : groupVersionOf(apiVersion);
      const resource = { ...requested.resource, group, version };
      await explainByV3(context, { ...requested, resource }, { ...options, format: flags.output });
    }
    return undefined;
  },
});
