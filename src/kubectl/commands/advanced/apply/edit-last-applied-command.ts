import { kubectlCommand } from "../../../program/kubectl-command.ts";
import { findResources } from "../../../resource/find-resources.ts";
import type { Info } from "../../../resource/info.ts";
import { editObjects, infosOfText } from "../../basic/edit/edit-objects.ts";
import { lineEndingFlags } from "../../basic/edit/line-ending-flags.ts";
import { allInfos } from "../../basic/set/patch-objects.ts";
import { fieldManagerFlags } from "../../shared/field-manager.ts";
import { fieldValidation, validateFlags } from "../../shared/field-validation.ts";
import { filenameFlags, filenameQuery } from "../../shared/filename-flags.ts";
import { outputFlags } from "../../shared/object-output.ts";
import { recordFlags } from "../../shared/record.ts";
import { lastAppliedAnnotation } from "../../shared/saved-configuration.ts";

export const editLastAppliedCommand = kubectlCommand({
  name: "edit-last-applied",
  usage: "(RESOURCE/NAME | -f FILENAME)",
  short: "Edit latest last-applied-configuration annotations of a resource/object",
  long: `Edit the configurations that were applied last to objects, as their annotations have them, in your editor: that of the environment variable KUBE_EDITOR, that of EDITOR, or 'vi' ('notepad' on Windows). Nothing else of the objects changes.

The format is YAML, or JSON with "-o json". With --windows-line-endings, lines end as on Windows.

If something goes wrong, your changes stay in a file, whose name is printed.`,
  examples: `# Edit what was applied last to a deployment
kubectl apply edit-last-applied deployment/nginx

# Edit it in JSON for the objects of a file
kubectl apply edit-last-applied -f deploy.yaml -o json`,
  flags: {
    ...recordFlags,
    ...outputFlags,
    ...filenameFlags("to use to edit the resource"),
    ...lineEndingFlags("Defaults to the line ending native to your platform."),
    ...fieldManagerFlags("kubectl-client-side-apply"),
    ...validateFlags,
  },
  async run(context) {
    const { flags, args } = context;
    const found = await findResources(context, {
      ...filenameQuery(flags),
      args,
      allowsTypeAlone: true,
      isLatest: true,
      continuesOnError: true,
      flattens: true,
    });
    const validation = fieldValidation(flags);
    const configurations: Info[] = [];
    for (const { object } of await allInfos(found)) {
      const text = object?.metadata.annotations?.[lastAppliedAnnotation];
      if (text === undefined) continue;
      const [info] = await infosOfText(context, text, "");
      if (info) configurations.push(info);
    }
    if (configurations.length === 0)
      throw new Error(
        "no last-applied-configuration annotation found on resources, to create the annotation, use command `kubectl apply set-last-applied --create-annotation`",
      );
    await editObjects(context, configurations, {
      mode: "apply",
      output: flags.output,
      savesConfig: false,
      printsPatch: false,
      windowsLineEndings: flags["windows-line-endings"],
      fieldManager: flags["field-manager"],
      validation,
      subresource: "",
    });
    return undefined;
  },
});
