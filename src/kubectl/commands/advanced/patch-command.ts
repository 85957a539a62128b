import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { StatusError } from "../../../api/meta/v1/status-error.ts";
import { boolFlag, stringFlag } from "../../../cli/flag.ts";
import type { DynamicObject } from "../../../client/resource-kind.ts";
import { fileFault } from "../../../kubeconfig/file-fault.ts";
import { sameJson } from "../../../schema/json/json-value.ts";
import { jsonValue, parseJson } from "../../../schema/json/strict-json.ts";
import { createMergePatch } from "../../../schema/patch/merge-patch.ts";
import { quote } from "../../../schema/values/quote.ts";
import { yamlToJson } from "../../../schema/yaml/yaml.ts";
import { jsonText } from "../../print/json-text.ts";
import { type CommandContext, kubectlCommand } from "../../program/kubectl-command.ts";
import { findResources } from "../../resource/find-resources.ts";
import { helper, type PatchType, patchTypes } from "../../resource/helper.ts";
import { type Info, kindOf } from "../../resource/info.ts";
import { dryRunFlags, dryRunOf } from "../shared/dry-run.ts";
import { fieldManagerFlags } from "../shared/field-manager.ts";
import { filenameFlags, filenameQuery } from "../shared/filename-flags.ts";
import { objectPrinter, outputFlags } from "../shared/object-output.ts";
import { recorded, recordFlags } from "../shared/record.ts";
import { patchedObject } from "./patched-object.ts";

const types: readonly PatchType[] = ["json", "merge", "strategic"];

const flags = {
  ...recordFlags,
  ...outputFlags,
  patch: stringFlag({
    short: "p",
    usage: "The patch to be applied to the resource, as JSON or YAML.",
  }),
  "patch-file": stringFlag({
    usage: "A file containing a patch to be applied to the resource.",
  }),
  type: stringFlag({
    default: "strategic",
    usage: `The type of patch being provided; one of [${types.join(" ")}]`,
  }),
  ...dryRunFlags,
  ...filenameFlags("identifying the resource to update"),
  local: boolFlag({
    usage: "If true, patch will operate on the content of the file, not the server-side resource.",
  }),
  ...fieldManagerFlags("kubectl-patch"),
  subresource: stringFlag({
    usage: "If specified, patch will operate on the subresource of the requested object.",
  }),
};

export const patchCommand = kubectlCommand({
  name: "patch",
  usage: "(-f FILENAME | TYPE NAME) [-p PATCH|--patch-file FILE]",
  short: "Update fields of a resource",
  long: `Update fields of a resource using strategic merge patch, a JSON merge patch, or a JSON patch.

JSON and YAML formats are accepted.

Note: Strategic merge patch is not supported for custom resources.`,
  examples: `# Change a field of a node by a strategic merge patch in JSON
kubectl patch node k8s-node-1 -p '{"spec":{"unschedulable":true}}'

# The same with a patch in YAML
kubectl patch node k8s-node-1 -p $'spec:\\n unschedulable: true'

# Patch the object that a file names
kubectl patch -f node.json -p '{"spec":{"unschedulable":true}}'

# Change the image of a container, which is found by its name
kubectl patch pod web -p '{"spec":{"containers":[{"name":"web","image":"new image"}]}}'

# The same by a JSON patch, which counts containers
kubectl patch pod web --type='json' -p='[{"op": "replace", "path": "/spec/containers/0/image", "value":"new image"}]'

# Change the replicas of a deployment through its subresource scale
kubectl patch deployment web --subresource='scale' --type='merge' -p '{"spec":{"replicas":2}}'`,
  flags,
  async run(context) {
    const { flags, args } = context;
    const dryRun = dryRunOf(context);
    const type = checkFlags(context, dryRun);
    const patch = await readPatch(context);
    const found = await findResources(context, {
      ...filenameQuery(flags),
      args,
      isLocal: flags.local,
      subresource: flags.subresource,
      continuesOnError: true,
      flattens: true,
    });
    let count = 0;
    await found.visit(async (info, error) => {
      if (error) throw error;
      if (!info.object) return;
      count++;
      const isHere = flags.local || dryRun === "client";
      const after = isHere
        ? await patchedObject(type, info.object, patchValue(patch))
        : await patchOnServer(context, info, { type, patch, isDryRun: dryRun === "server" });
      const isSame = sameJson(info.object, after.patched);
      const operation = isSame ? "patched (no change)" : "patched";
      objectPrinter(context, { operation })(after.object);
    });
    if (count === 0) throw new Error("no objects passed to patch");
    return undefined;
  },
});

type PatchContext = CommandContext<typeof flags>;

function checkFlags({ flags, args }: PatchContext, dryRun: string): PatchType {
  const hasPatch = flags.patch !== "";
  const hasFile = flags["patch-file"] !== "";
  if (hasPatch && hasFile) throw new Error("cannot specify --patch and --patch-file together");
  if (!hasPatch && !hasFile)
    throw new Error("must specify --patch or --patch-file containing the contents of the patch");
  if (flags.local && args.length > 0)
    throw new Error("cannot specify --local and server resources");
  if (flags.local && dryRun === "server")
    throw new Error("cannot specify --local and --dry-run=server - did you mean --dry-run=client?");
  const name = flags.type.toLowerCase() || "strategic";
  const type = types.find((one) => one === name);
  if (type === undefined)
    throw new Error(`--type must be one of [${types.join(" ")}], not ${quote(flags.type)}`);
  return type;
}

async function readPatch({ flags, cwd }: PatchContext): Promise<string> {
  const file = flags["patch-file"];
  const text =
    file === ""
      ? flags.patch
      : await readFile(resolve(cwd, file), "utf8").catch((cause: unknown) => {
          throw new Error(`unable to read patch file: ${fileFault("open", file, cause)}`, {
            cause,
          });
        });
  // What begins as JSON is sent as it is.
  if (/^\s*\{/.test(text)) return text;
  try {
    return jsonText(yamlToJson(text, { lenient: true }));
  } catch (error) {
    throw new Error(`unable to parse ${quote(flags.patch)}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

function patchValue(text: string): unknown {
  try {
    return jsonValue(parseJson(text));
  } catch (cause) {
    throw new Error("invalid JSON document", { cause });
  }
}

/** Sends the patch; with `--record`, then one with the command line. */
async function patchOnServer(
  context: PatchContext,
  info: Info,
  {
    type,
    patch,
    isDryRun,
  }: { readonly type: PatchType; readonly patch: string; readonly isDryRun: boolean },
): Promise<{ readonly patched: DynamicObject; readonly object: DynamicObject }> {
  const { flags, factory, signal } = context;
  const kind = kindOf(info);
  const requests = helper(await factory.client(), kind, {
    isDryRun,
    fieldManager: flags["field-manager"],
    subresource: flags.subresource,
    signal,
    onWarning: (text) => factory.warn(text),
  });
  const patched = await requests.patch(info, { type, body: patch }).catch((error) => {
    if (!StatusError.is(error, "UnsupportedMediaType")) throw error;
    throw new Error(
      `${patchTypes[type]} is not supported by ${kind.group}/${kind.version}, Kind=${kind.kind}: ${error.message}`,
      { cause: error },
    );
  });
  const noted = recorded(context, patched);
  if (noted === patched) return { patched, object: patched };
  const body = jsonText(createMergePatch(patched, noted));
  const object = await requests.patch(info, { type: "merge", body }).catch(() => patched);
  return { patched, object };
}
