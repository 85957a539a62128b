import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { boolFlag, stringFlag } from "../../../cli/flag.ts";
import { decodeResponse } from "../../../client/decode-response.ts";
import { usageError, withSource } from "../../program/command-error.ts";
import { readAll } from "../../program/io.ts";
import { type CommandContext, kubectlCommand } from "../../program/kubectl-command.ts";
import { documentValidator } from "../../resource/document-validator.ts";
import { explainInvalidFields } from "../../resource/explain-invalid-fields.ts";
import { explainSyntaxError } from "../../resource/explain-syntax-error.ts";
import { findResources } from "../../resource/find-resources.ts";
import { helper } from "../../resource/helper.ts";
import { type Info, kindOf, setObject } from "../../resource/info.ts";
import { dryRunFlags, dryRunOf } from "../shared/dry-run.ts";
import { fieldManagerFlags } from "../shared/field-manager.ts";
import { fieldValidation, validateFlags } from "../shared/field-validation.ts";
import { filenameFlags, filenameQuery, requireFiles } from "../shared/filename-flags.ts";
import { objectPrinter, outputFlags } from "../shared/object-output.ts";
import { recorded, recordFlags } from "../shared/record.ts";
import { saveConfigFlags, withUpdatedConfiguration } from "../shared/saved-configuration.ts";
import { labelSelectorFlags } from "../shared/selector-flags.ts";
import { createSubcommands } from "./create/create-subcommands.ts";
import { editBeforeCreate } from "./edit/edit-before-create.ts";

export const createCommand = kubectlCommand({
  name: "create",
  usage: "-f FILENAME",
  short: "Create a resource from a file or from stdin",
  long: "Create a resource from a file or from stdin.\n\nJSON and YAML formats are accepted.",
  examples: `# Create a pod from a file
kubectl create -f ./pod.json

# Create a pod from what another program prints
cat pod.json | kubectl create -f -

# Change the manifest in an editor before the objects are created
kubectl create -f registry.yaml --edit -o json`,
  flags: {
    ...recordFlags,
    ...filenameFlags("to use to create the resource"),
    ...validateFlags,
    ...saveConfigFlags,
    ...dryRunFlags,
    ...labelSelectorFlags,
    ...fieldManagerFlags("kubectl-create"),
    ...outputFlags,
    edit: boolFlag({ usage: "Edit the API resource before creating" }),
    "windows-line-endings": boolFlag({
      usage: "Only relevant if --edit=true. Defaults to the line ending of your platform.",
      default: process.platform === "win32",
    }),
    raw: stringFlag({
      usage: "Raw URI to POST to the server, through the kubeconfig's transport.",
    }),
  },
  commands: createSubcommands,
  async run(context) {
    const { flags, args, path, factory } = context;
    if (args.length > 0) throw usageError(path, `Unexpected args: [${args.join(" ")}]`);
    const dryRun = dryRunOf(context);
    const validation = fieldValidation(flags);
    const print = objectPrinter(context, { operation: "created", dryRun });
    requireFiles(flags);
    if (flags.raw !== "") return createRaw(context, flags);
    if (flags.edit) return editBeforeCreate(context, filenameQuery(flags), validation);

    const found = await findResources(context, {
      ...filenameQuery(flags),
      labelSelector: flags.selector,
      flattens: true,
      continuesOnError: true,
      skipsRequests: true,
      validate: documentValidator(factory, validation),
    });
    let count = 0;
    const create = async (info: Info, error?: Error): Promise<void> => {
      if (error) throw error;
      if (!info.object) return;
      const updated = withUpdatedConfiguration(info.object, flags["save-config"]);
      info.object = recorded(context, updated);
      if (dryRun !== "client") {
        const requests = helper(await factory.client(), kindOf(info), {
          isDryRun: dryRun === "server",
          fieldManager: flags["field-manager"],
          fieldValidation: validation,
          signal: context.signal,
          onWarning: (text) => factory.warn(text),
        });
        const created = requests.create(info.namespace, info.object);
        setObject(
          info,
          await created.catch((cause: Error) => {
            explainInvalidFields(cause, info, context);
            throw withSource("creating", info.source, cause);
          }),
        );
      }
      count++;
      print(info.object);
    };
    await found.visit(create).catch((error: Error) => {
      explainSyntaxError(error, context);
      throw error;
    });
    if (count === 0) throw new Error("no objects passed to create");
    return undefined;
  },
});

/** Sends a file as it is. */
async function createRaw(
  context: Pick<CommandContext, "factory" | "io" | "cwd" | "signal">,
  flags: { readonly raw: string; readonly filename: readonly string[]; readonly edit: boolean } & {
    readonly recursive: boolean;
    readonly selector: string;
    readonly output: string;
  },
): Promise<undefined> {
  const [file = "", ...others] = flags.filename;
  if (flags.edit) throw new Error("--raw and --edit are mutually exclusive");
  if (file === "" || others.length > 0)
    throw new Error("--raw can only use a single local file or stdin");
  if (/^https?:\/\//.test(file)) throw new Error("--raw cannot read from a url");
  if (flags.recursive) throw new Error("--raw and --recursive are mutually exclusive");
  if (flags.selector !== "") throw new Error("--raw and --selector (-l) are mutually exclusive");
  if (flags.output !== "") throw new Error("--raw and --output are mutually exclusive");
  const { factory, io, cwd, signal } = context;
  const body = file === "-" ? await readAll(io.stdin) : await readFile(resolve(cwd, file));
  const [path = "", query = ""] = flags.raw.split("?");
  const client = await factory.client();
  const response = await client.raw({
    method: "POST",
    path,
    query: Object.fromEntries(new URLSearchParams(query)),
    headers: { "content-type": "application/json" },
    body,
    signal,
  });
  if (response.status >= 300) await decodeResponse(response);
  for await (const chunk of response.bytes()) io.stdout.write(chunk);
  return undefined;
}
