import { boolFlag, stringFlag } from "../../../cli/flag.ts";
import { kubectlCommand } from "../../program/kubectl-command.ts";
import { findResources } from "../../resource/find-resources.ts";
import { fieldManagerFlags } from "../shared/field-manager.ts";
import { fieldValidation, validateFlags } from "../shared/field-validation.ts";
import { filenameFlags, filenameQuery } from "../shared/filename-flags.ts";
import { outputFlags } from "../shared/object-output.ts";
import { recordFlags } from "../shared/record.ts";
import { saveConfigFlags } from "../shared/saved-configuration.ts";
import { editObjects } from "./edit/edit-objects.ts";
import { lineEndingFlags } from "./edit/line-ending-flags.ts";
import { allInfos } from "./set/patch-objects.ts";

export const editCommand = kubectlCommand({
  name: "edit",
  usage: "(RESOURCE/NAME | -f FILENAME)",
  short: "Edit a resource on the server",
  long: `Edit objects of the server in your editor: that of the environment variable KUBE_EDITOR, that of EDITOR, or 'vi' ('notepad' on Windows). A command line with quotes is run by the shell of SHELL, or '/bin/bash'.

Several objects are edited in one file, and sent one after the other. Objects can also be named by files, which must have been saved from the server.

They are edited in the API version in which they were requested; name another version with the type if you want it.

The format is YAML, or JSON with "-o json". With --windows-line-endings, lines end as on Windows.

If something goes wrong, your changes stay in a file, whose name is printed. Often another user has changed an object in the meantime: then take over your changes to the newer version, or set the newer resource version in the file.`,
  examples: `# Edit a service
kubectl edit svc/registry

# Use another editor
KUBE_EDITOR="nano" kubectl edit svc/registry

# Edit a job in JSON, in version v1 of its API
kubectl edit job.v1.batch/myjob -o json

# Edit a deployment, and keep the result as its last applied configuration
kubectl edit deployment/mydeployment -o yaml --save-config

# Edit the status of a deployment
kubectl edit deployment mydeployment --subresource='status'`,
  flags: {
    ...recordFlags,
    ...outputFlags,
    ...filenameFlags("to use to edit the resource"),
    ...validateFlags,
    "output-patch": boolFlag({ usage: "Output the patch if the resource is edited." }),
    ...lineEndingFlags("Defaults to the line ending native to your platform."),
    ...fieldManagerFlags("kubectl-edit"),
    ...saveConfigFlags,
    subresource: stringFlag({
      usage: "If specified, edit will operate on the subresource of the requested object.",
    }),
  },
  async run(context) {
    const { flags, args } = context;
    const found = await findResources(context, {
      ...filenameQuery(flags),
      args,
      allowsTypeAlone: true,
      isLatest: true,
      subresource: flags.subresource,
      continuesOnError: true,
      flattens: true,
    });
    const validation = fieldValidation(flags);
    const infos = await allInfos(found);
    if (infos.length === 0) throw new Error("edit cancelled, no objects found");
    await editObjects(context, infos, {
      mode: "edit",
      output: flags.output,
      savesConfig: flags["save-config"],
      printsPatch: flags["output-patch"],
      windowsLineEndings: flags["windows-line-endings"],
      fieldManager: flags["field-manager"],
      validation,
      subresource: flags.subresource,
    });
    return undefined;
  },
});
