import { boolFlag, stringFlag } from "../../../../cli/flag.ts";
import type { DynamicObject } from "../../../../client/resource-kind.ts";
import { parseLabelSelector } from "../../../../schema/selectors/label-selector.ts";
import { createTwoWayMergePatch } from "../../../../schema/strategic-merge/create-merge-patch.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { kubectlCommand } from "../../../program/kubectl-command.ts";
import { findResources } from "../../../resource/find-resources.ts";
import { helper } from "../../../resource/helper.ts";
import { kindOf } from "../../../resource/info.ts";
import { typedObject, typedShape } from "../../../resource/typed-object.ts";
import { withResourceVersion } from "../../settings/list-metadata.ts";
import { dryRunOf } from "../../shared/dry-run.ts";
import { objectPrinter } from "../../shared/object-output.ts";
import { recorded, recordFlags } from "../../shared/record.ts";
import { checkLocal, setFlags } from "./set-flags.ts";

// The original builds the flags of this command in another way: without kustomizations.
const { kustomize: _, ...commonFlags } = setFlags("identifying the resource.", "selector");

export const setSelectorCommand = kubectlCommand({
  name: "selector",
  usage: "(-f FILENAME | TYPE NAME) EXPRESSIONS [--resource-version=version]",
  short: "Set the selector on a resource",
  long: `Set the selector of a service. It takes the place of the selector that the service has.

A selector begins with a letter or number, and may contain letters, numbers, hyphens, dots, and underscores, up to 63 characters. With --resource-version, objects are only changed if they have this version.

Only services have selectors that can be set.`,
  examples: `# Set labels and selector before a deployment and its service are created
kubectl create service clusterip my-svc --clusterip="None" -o yaml --dry-run=client | kubectl set selector --local -f - 'environment=qa' -o yaml | kubectl create -f -
kubectl create deployment my-dep --image=nginx -o yaml --dry-run=client | kubectl label --local -f - environment=qa -o yaml | kubectl create -f -`,
  flags: {
    ...recordFlags,
    ...commonFlags,
    recursive: boolFlag({ ...commonFlags.recursive, default: true }),
    "resource-version": stringFlag({
      usage:
        "If non-empty, the selectors update will only succeed if this is the current resource-version for the object. Only valid when specifying a single resource.",
    }),
  },
  async run(context) {
    const { flags, args, factory, signal } = context;
    const dryRun = dryRunOf(context);
    const resources = args.slice(0, -1);
    const expression = args.at(-1);
    const selector = expression === undefined ? undefined : selectorLabels(expression);
    const print = objectPrinter(context, {
      operation: "selector updated",
      dryRun,
      keepsOrder: true,
    });
    if (!selector) throw new Error("one selector is required");
    checkLocal(flags, resources);
    const found = await findResources(context, {
      filenames: flags.filename,
      isRecursive: flags.recursive,
      continuesOnError: true,
      flattens: true,
      isTyped: true,
      isLocal: flags.local,
      ...(!flags.local && { args: resources, allowsTypeAlone: flags.all, isLatest: true }),
    });
    await found.visit(async (info, error) => {
      if (error) throw error;
      if (!info.object) return;
      const version = flags["resource-version"];
      const before = withResourceVersion(info.object, version, "");
      const changed = withSelector(withResourceVersion(before, version), selector());
      const after = await typedObject(recorded(context, changed));
      if (flags.local || dryRun === "client") return print(after);
      const requests = helper(await factory.client(), kindOf(info), {
        isDryRun: dryRun === "server",
        fieldManager: flags["field-manager"],
        signal,
        onWarning: (text) => factory.warn(text),
      });
      const body = createTwoWayMergePatch(await typedShape(after), before, after);
      print(await requests.patch(info, { type: "strategic", body }));
    });
    return undefined;
  },
});

function withSelector(object: DynamicObject, selector: object): DynamicObject {
  if (object.kind !== "Service" || object.apiVersion !== "v1")
    throw new Error("setting a selector is only supported for Services");
  return { ...object, spec: { ...(object.spec as object | undefined), selector } };
}

/** The labels of a selector; those of expressions that are more than labels are an error where they are used. */
function selectorLabels(text: string): () => Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  const expressions: string[] = [];
  for (const { key, operator, values } of requirementsOf(text)) {
    if (operator === "=" || operator === "==") labels[key] = values[0] ?? "";
    else {
      const name = operators.get(operator);
      if (name === undefined) throw unsupported(operator);
      expressions.push(`{${key} ${name} [${values.toSorted().join(" ")}]}`);
    }
  }
  return () => {
    if (expressions.length === 0) return labels;
    throw new Error(`match expression [${expressions.join(" ")}] not supported on this object`);
  };
}

function unsupported(operator: string): Error {
  if (operator === ">" || operator === "gt")
    return new Error(`"gt" isn't supported in label selectors`);
  if (operator === "<" || operator === "lt")
    return new Error(`"lt" isn't supported in label selectors`);
  return new Error(`${quote(operator)} is not a valid label selector operator`);
}

function requirementsOf(text: string) {
  try {
    return parseLabelSelector(text).requirements;
  } catch (error) {
    throw new Error(`couldn't parse the selector string "${text}": ${(error as Error).message}`, {
      cause: error,
    });
  }
}

const operators: ReadonlyMap<string, string> = new Map([
  ["in", "In"],
  ["notin", "NotIn"],
  ["exists", "Exists"],
  ["!", "DoesNotExist"],
]);
