import { StatusError } from "../../../../api/meta/v1/status-error.ts";
import { boolFlag, stringsFlag } from "../../../../cli/flag.ts";
import { jsonText } from "../../../print/json-text.ts";
import { withSource } from "../../../program/command-error.ts";
import { kubectlCommand } from "../../../program/kubectl-command.ts";
import { findResources } from "../../../resource/find-resources.ts";
import { helper } from "../../../resource/helper.ts";
import { type Info, kindOf, setRequested } from "../../../resource/info.ts";
import { requestedObject } from "../../../resource/requested-object.ts";
import { dryRunFlags, dryRunOf } from "../../shared/dry-run.ts";
import { objectPrinter, outputFlags } from "../../shared/object-output.ts";
import { lastAppliedAnnotation } from "../../shared/saved-configuration.ts";
import { describe } from "./patch-object.ts";

export const setLastAppliedCommand = kubectlCommand({
  name: "set-last-applied",
  usage: "-f FILENAME",
  short:
    "Set the last-applied-configuration annotation on a live object to match the contents of a file",
  long: "Set the annotation with the configuration that was applied last to what a file contains, as if the file had been applied, and change nothing else of the object.",
  examples: `# Set what was applied last to an object to the contents of a file
kubectl apply set-last-applied -f deploy.yaml

# The same for each file of a directory
kubectl apply set-last-applied -f path/

# Set it also where the object has no such annotation yet
kubectl apply set-last-applied -f deploy.yaml --create-annotation=true`,
  flags: {
    ...outputFlags,
    ...dryRunFlags,
    "create-annotation": boolFlag({
      usage:
        "Will create 'last-applied-configuration' annotations if current objects don't have one",
    }),
    filename: stringsFlag({
      short: "f",
      usage:
        "Filename, directory, or URL to files that contains the last-applied-configuration annotations",
    }),
  },
  async run(context) {
    const { flags, factory, io, signal } = context;
    const dryRun = dryRunOf(context);
    const print = objectPrinter(context, { operation: "configured", dryRun });
    const found = await findResources(context, {
      filenames: flags.filename,
      flattens: true,
      skipsRequests: true,
    });
    const client = await factory.client();
    const changes: { readonly info: Info; readonly text: string }[] = [];
    await found.visit(async (info, error) => {
      if (error) throw error;
      if (!info.object) return;
      const text = jsonText(info.object);
      const current = requestedObject(client, info, { signal });
      setRequested(
        info,
        await current.catch((cause: Error) => {
          if (StatusError.is(cause, "NotFound")) throw cause;
          const verb = `retrieving current configuration of:\n${describe(info)}\nfrom server for:`;
          throw withSource(verb, info.source, cause);
        }),
      );
      const before = info.object.metadata.annotations?.[lastAppliedAnnotation];
      if (before === undefined && !flags["create-annotation"])
        throw new Error(
          `no last-applied-configuration annotation found on resource: ${info.name}, to create the annotation, run the command with --create-annotation`,
        );
      if (before?.trim() === text.trim())
        io.stdout.write(`set-last-applied ${info.name}: no changes required.\n`);
      else changes.push({ info, text });
    });
    for (const { info, text } of changes) {
      let object = info.object;
      if (dryRun !== "client") {
        const annotations = { [lastAppliedAnnotation]: `${text}\n` };
        const requests = helper(client, kindOf(info), { isDryRun: dryRun === "server", signal });
        const body = jsonText({ metadata: { annotations } });
        object = await requests.patch(info, { type: "merge", body });
      }
      if (object) print(object);
    }
    return undefined;
  },
});
