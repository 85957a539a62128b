import type { DynamicObject } from "../../../client/resource-kind.ts";
import { createMergePatch } from "../../../schema/patch/merge-patch.ts";
import { quote } from "../../../schema/values/quote.ts";
import { jsonText } from "../../print/json-text.ts";
import type { Io } from "../../program/io.ts";
import { kubectlCommand } from "../../program/kubectl-command.ts";
import { helper } from "../../resource/helper.ts";
import { kindOf } from "../../resource/info.ts";
import { dryRunOf } from "../shared/dry-run.ts";
import { objectPrinter } from "../shared/object-output.ts";
import { recorded } from "../shared/record.ts";
import {
  changeLabels,
  type Labels,
  type MetadataChanges,
  parseLabelChanges,
} from "./label-changes.ts";
import { listMetadata, withResourceVersion } from "./list-metadata.ts";
import {
  checkMetadataFlags,
  findMetadata,
  metadataFlags,
  resourcesAndPairs,
} from "./metadata-flags.ts";

export const labelCommand = kubectlCommand({
  name: "label",
  usage:
    "[--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]",
  short: "Update the labels on a resource",
  long: `Update the labels on a resource.

A key begins with a letter or number, and may contain letters, numbers, hyphens, dots and underscores, up to 63 characters; before it may stand a DNS subdomain and a slash, as in example.com/my-app. Values are made of the same characters.

A label that exists with another value is only changed with --overwrite. With --resource-version, objects are only changed if they have this version.`,
  examples: `# Give the pod foo the label unhealthy with the value true
kubectl label pods foo unhealthy=true

# Change a label that exists already
kubectl label --overwrite pods foo status=unhealthy

# Label all pods of the namespace
kubectl label pods --all status=unhealthy

# Label the object that a file names
kubectl label -f pod.json status=unhealthy

# Remove the label bar, if it exists
kubectl label pods foo bar-`,
  flags: metadataFlags("labels", "label"),
  async run(context) {
    const { flags, args, factory, io, signal } = context;
    const dryRun = dryRunOf(context);
    const { resources, pairs } = resourcesAndPairs(args, "label");
    const changes = parseLabelChanges(pairs);
    if (flags.list && flags.output !== "")
      throw new Error("--list and --output may not be specified together");
    checkMetadataFlags(flags, { resources, dryRun, example: "pod" });
    if (pairs.length === 0 && !flags.list) throw new Error("at least one label update is required");
    const found = await findMetadata(context, flags, resources);
    await found.visit(async (info, error) => {
      if (error) throw error;
      if (!info.object) return;
      const isHere = dryRun === "client" || flags.local || flags.list;
      const before = withResourceVersion(info.object, flags["resource-version"], "");
      const labels = before.metadata?.labels ?? {};
      if (!isHere) reportMissing(labels, changes, io);
      const changed = changeLabels(labels, changes, flags.overwrite);
      const metadata = { ...before.metadata, labels: changed.labels };
      const labelled = withResourceVersion({ ...before, metadata }, flags["resource-version"]);
      const after: DynamicObject = isHere ? labelled : recorded(context, labelled);
      if (!isHere && changed.isChanged) {
        const requests = helper(await factory.client(), kindOf(info), {
          isDryRun: dryRun === "server",
          fieldManager: flags["field-manager"],
          signal,
          onWarning: (text) => factory.warn(text),
        });
        const body = jsonText(createMergePatch(before, after));
        await requests.patch(info, { type: "merge", body });
      }
      const members = changed.labels;
      if (flags.list)
        listMetadata(info, { io, isSingle: found.isSingleItem, members, things: "labels" });
      else objectPrinter(context, { operation: changed.operation, dryRun })(after);
    });
    return undefined;
  },
});

function reportMissing(labels: Labels, { remove }: MetadataChanges, { stdout }: Io): void {
  for (const key of remove)
    if (labels[key] === undefined) stdout.write(`label ${quote(key)} not found.\n`);
}
