import type { DynamicObject } from "../../../client/resource-kind.ts";
import { createMergePatch } from "../../../schema/patch/merge-patch.ts";
import { jsonText } from "../../print/json-text.ts";
import { kubectlCommand } from "../../program/kubectl-command.ts";
import { helper } from "../../resource/helper.ts";
import { kindOf } from "../../resource/info.ts";
import { dryRunOf } from "../shared/dry-run.ts";
import { objectPrinter } from "../shared/object-output.ts";
import { recorded } from "../shared/record.ts";
import {
  changeAnnotations,
  checkAnnotationChanges,
  parseAnnotationChanges,
} from "./annotation-changes.ts";
import { listMetadata, withResourceVersion } from "./list-metadata.ts";
import {
  checkMetadataFlags,
  findMetadata,
  metadataFlags,
  resourcesAndPairs,
} from "./metadata-flags.ts";

export const annotateCommand = kubectlCommand({
  name: "annotate",
  usage:
    "[--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]",
  short: "Update the annotations on a resource",
  long: `Update the annotations on one or more resources.

Annotations are key and value pairs of any object. They can be larger than labels and may hold any text, such as JSON; tools and extensions keep their data there.

An annotation that exists with another value is only changed with --overwrite. With --resource-version, objects are only changed if they have this version.

Use "kubectl api-resources" for a complete list of supported resources.`,
  examples: `# Annotate the pod foo; if an annotation is given twice, the last value counts
kubectl annotate pods foo description='my frontend'

# Annotate the object that a file names
kubectl annotate -f pod.json description='my frontend'

# Change an annotation that exists already
kubectl annotate --overwrite pods foo description='my frontend running nginx'

# Annotate all pods of the namespace
kubectl annotate pods --all description='my frontend running nginx'

# Remove the annotation description, if it exists
kubectl annotate pods foo description-`,
  flags: metadataFlags("annotations", "annotate"),
  async run(context) {
    const { flags, args, factory, io, signal } = context;
    const dryRun = dryRunOf(context);
    const print = objectPrinter(context, { operation: "annotated", dryRun });
    const { resources, pairs } = resourcesAndPairs(args, "annotation");
    const changes = parseAnnotationChanges(pairs);
    checkMetadataFlags(flags, { resources, dryRun, example: "rsrc" });
    if (pairs.length === 0 && !flags.list)
      throw new Error("at least one annotation update is required");
    checkAnnotationChanges(changes);
    const found = await findMetadata(context, flags, resources);
    await found.visit(async (info, error) => {
      if (error) throw error;
      if (!info.object) return;
      const isHere = dryRun === "client" || flags.local || flags.list;
      const version = isHere ? "" : flags["resource-version"];
      const before = withResourceVersion(info.object, version, "");
      const noted = isHere ? before : recorded(context, before);
      const annotations = changeAnnotations(
        noted.metadata?.annotations ?? {},
        changes,
        flags.overwrite,
      );
      const metadata = { ...noted.metadata, annotations };
      let after: DynamicObject = withResourceVersion(
        { ...noted, metadata },
        flags["resource-version"],
      );
      if (!isHere) {
        const requests = helper(await factory.client(), kindOf(info), {
          isDryRun: dryRun === "server",
          fieldManager: flags["field-manager"],
          signal,
          onWarning: (text) => factory.warn(text),
        });
        const body = jsonText(createMergePatch(before, after));
        after = await requests.patch(info, { type: "merge", body });
      }
      if (flags.list)
        listMetadata(info, {
          io,
          isSingle: found.isSingleItem,
          members: annotations,
          things: "annotations",
        });
      else print(after);
    });
    return undefined;
  },
});
