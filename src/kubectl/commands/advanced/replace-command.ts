import { stringFlag } from "../../../cli/flag.ts";
import { withSource } from "../../program/command-error.ts";
import { type CommandContext, kubectlCommand } from "../../program/kubectl-command.ts";
import { documentValidator } from "../../resource/document-validator.ts";
import { findResources } from "../../resource/find-resources.ts";
import { helper } from "../../resource/helper.ts";
import { kindOf, setObject } from "../../resource/info.ts";
import { deletionFlags, type Propagation, propagationOf } from "../shared/deletion-flags.ts";
import { type DryRun, dryRunFlags, dryRunOf } from "../shared/dry-run.ts";
import { fieldManagerFlags } from "../shared/field-manager.ts";
import { fieldValidation, validateFlags } from "../shared/field-validation.ts";
import { filenameFlags, filenameQuery, requireFiles } from "../shared/filename-flags.ts";
import { objectPrinter, outputFlags, type PrintObject } from "../shared/object-output.ts";
import { checkRawUri, rawRequest } from "../shared/raw-request.ts";
import { saveConfigFlags, withUpdatedConfiguration } from "../shared/saved-configuration.ts";

export const replaceFlags = {
  ...outputFlags,
  ...filenameFlags("The files that contain the configurations to replace."),
  ...deletionFlags,
  ...validateFlags,
  ...saveConfigFlags,
  ...dryRunFlags,
  raw: stringFlag({
    usage: "Raw URI to PUT to the server, through the kubeconfig's transport.",
  }),
  ...fieldManagerFlags("kubectl-replace"),
  subresource: stringFlag({
    usage: "If specified, replace will operate on the subresource of the requested object.",
  }),
};

export type ReplaceContext = CommandContext<typeof replaceFlags>;

export const replaceCommand = kubectlCommand({
  name: "replace",
  usage: "-f FILENAME",
  short: "Replace a resource by file name or stdin",
  long: `Replace a resource by file name or stdin.

JSON and YAML formats are accepted. The file must have the whole object, which can be obtained by

    $ kubectl get TYPE NAME -o yaml`,
  examples: `# Replace the pod that a file describes
kubectl replace -f ./pod.json

# Replace a pod by what another program prints
cat pod.json | kubectl replace -f -

# Give a pod with one container another version of its image
kubectl get pod mypod -o yaml | sed 's/\\(image: myimage\\):.*$/\\1:v4/' | kubectl replace -f -

# Delete the pod, and create it again
kubectl replace --force -f ./pod.json`,
  flags: replaceFlags,
  async run(context) {
    const { flags, factory } = context;
    const validation = fieldValidation(flags);
    const dryRun = dryRunOf(context);
    const print = objectPrinter(context, { operation: "replaced", dryRun });
    const propagation = propagationOf(context);
    requireFiles(flags);
    await factory.namespace();
    // Only --force may remove objects at once; zero seconds become one.
    const isShort = flags["grace-period"] === 0;
    const gracePeriod = isShort ? 1 : flags["grace-period"];
    checkFlags(flags, gracePeriod, dryRun);
    if (flags.raw !== "") {
      const [filename = ""] = flags.filename;
      return rawRequest(context, { method: "PUT", uri: flags.raw, filename });
    }
    if (!flags.force) return replaceObjects(context, { dryRun, validation, print });
    const { replaceByForce } = await import("./replace/replace-by-force.ts");
    const waits = flags.wait || isShort;
    return replaceByForce(context, { gracePeriod, waits, propagation, validation, print });
  },
});

/** How objects are replaced. */
export interface Replacement {
  readonly validation: string;
  readonly print: PrintObject;
}

/** What replacing by force needs besides. */
export interface ForcedReplacement extends Replacement {
  readonly gracePeriod: number;
  readonly waits: boolean;
  readonly propagation: Propagation;
}

function checkFlags(flags: ReplaceContext["flags"], gracePeriod: number, dryRun: DryRun): void {
  const { force, timeout, filename, raw, recursive, output } = flags;
  if (gracePeriod >= 0 && !force) throw new Error("--grace-period must have --force specified");
  if (timeout !== 0 && !force) throw new Error("--timeout must have --force specified");
  if (force && dryRun !== "none") throw new Error("--dry-run can not be used when --force is set");
  if (raw === "") return;
  if (filename.length !== 1) throw new Error("--raw can only use a single local file or stdin");
  if (/^https?:\/\//.test(filename[0] ?? "")) throw new Error("--raw cannot read from a url");
  if (recursive) throw new Error("--raw and --recursive are mutually exclusive");
  if (output !== "") throw new Error("--raw and --output are mutually exclusive");
  checkRawUri(raw);
}

async function replaceObjects(
  context: ReplaceContext,
  { dryRun, validation, print }: Replacement & { readonly dryRun: DryRun },
): Promise<undefined> {
  const { flags, factory, signal } = context;
  const found = await findResources(context, {
    ...filenameQuery(flags),
    subresource: flags.subresource,
    flattens: true,
    continuesOnError: true,
    validate: documentValidator(factory, fieldValidation(flags)),
  });
  await found.visit(async (info, error) => {
    if (error) throw error;
    if (!info.object) return;
    info.object = withUpdatedConfiguration(info.object, flags["save-config"]);
    if (dryRun !== "client") {
      const requests = helper(await factory.client(), kindOf(info), {
        isDryRun: dryRun === "server",
        fieldManager: flags["field-manager"],
        fieldValidation: validation,
        subresource: flags.subresource,
        signal,
        onWarning: (text) => factory.warn(text),
      });
      const replaced = requests.replace(info, info.object, true).catch((cause: Error) => {
        throw withSource("replacing", info.source, cause);
      });
      setObject(info, await replaced);
    }
    print(info.object);
  });
  return undefined;
}
