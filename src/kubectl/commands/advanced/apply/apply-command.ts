import { StatusError } from "../../../../api/meta/v1/status-error.ts";
import type { DiscoveredKind } from "../../../../client/discovery/rest-mapper.ts";
import type { DynamicObject } from "../../../../client/resource-kind.ts";
import { isMap } from "../../../../schema/json/json-value.ts";
import { joinedErrors, usageError, withSource } from "../../../program/command-error.ts";
import { type CommandContext, kubectlCommand } from "../../../program/kubectl-command.ts";
import { documentValidator } from "../../../resource/document-validator.ts";
import { explainInvalidFields } from "../../../resource/explain-invalid-fields.ts";
import { explainSyntaxError } from "../../../resource/explain-syntax-error.ts";
import { findResources } from "../../../resource/find-resources.ts";
import { type HelperOptions, helper } from "../../../resource/helper.ts";
import {
  type Info,
  isNamespaced,
  kindOf,
  setObject,
  setRequested,
} from "../../../resource/info.ts";
import { requestedObject } from "../../../resource/requested-object.ts";
import { InfosError } from "../../../resource/result.ts";
import { type Propagation, propagationOf } from "../../shared/deletion-flags.ts";
import { type DryRun, dryRunOf } from "../../shared/dry-run.ts";
import { type FieldValidation, fieldValidation } from "../../shared/field-validation.ts";
import { filenameQuery, requireFiles } from "../../shared/filename-flags.ts";
import { klog } from "../../shared/klog.ts";
import { objectPrinter } from "../../shared/object-output.ts";
import { recorded } from "../../shared/record.ts";
import { lastAppliedAnnotation, withSavedConfiguration } from "../../shared/saved-configuration.ts";
import { type ApplyValues, applyFlags, checkApplyFlags, checkPruneFlags } from "./apply-flags.ts";
import { applyOnServer } from "./apply-on-server.ts";
import { ApplySet, applySetParent } from "./apply-set.ts";
import { applySubcommands } from "./apply-subcommands.ts";
import { describe, patchObject } from "./patch-object.ts";
import { allowedKinds, defaultKinds } from "./prune-list.ts";
import { pruneObjects } from "./prune-objects.ts";

export const applyCommand = kubectlCommand({
  name: "apply",
  usage: "(-f FILENAME | -k DIRECTORY)",
  short: "Apply a configuration to a resource by file name or stdin",
  long: `Apply a configuration to a resource by file name or stdin. The resource must have a name; it is created if it does not exist yet.

Objects that are to be applied later are best created by apply, or by create --save-config: what was applied last is kept with the object, so that the next apply finds what was removed from the configuration.

JSON and YAML formats are accepted.

Alpha Disclaimer: the --prune functionality is not yet complete. Do not use it unless you know its current state.`,
  examples: `# Apply the configuration in a file to a pod
kubectl apply -f ./pod.json

# Apply what the kustomization of a directory builds
kubectl apply -k dir/

# Apply what another program prints
cat pod.json | kubectl apply -f -

# Apply all files that end with .json
kubectl apply -f '*.json'

# Apply a file, and delete all other objects with the label app=nginx that were applied before
kubectl apply --prune -f manifest.yaml -l app=nginx

# Apply a file, and delete all other config maps that were applied before
kubectl apply --prune -f manifest.yaml --all --prune-allowlist=core/v1/ConfigMap`,
  flags: applyFlags,
  commands: applySubcommands,
  async run(context) {
    const application = await openApplication(context);
    await application.run();
    return undefined;
  },
});

type ApplyContext = CommandContext<typeof applyFlags>;

/** What the flags of an apply say. */
interface Application {
  readonly context: ApplyContext;
  readonly flags: ApplyValues;
  readonly dryRun: DryRun;
  readonly validation: FieldValidation;
  readonly propagation: Propagation;
  readonly requests: HelperOptions & { readonly fieldManager: string };
  readonly prunedKinds: readonly DiscoveredKind[];
  readonly set: ApplySet | undefined;
  /** Whether objects are printed in a format, all at the end. */
  readonly printsObjects: boolean;
}

async function openApplication(context: ApplyContext): Promise<{ run(): Promise<void> }> {
  const { flags, args, path, factory, env, given } = context;
  if (flags.applyset !== "" && env.KUBECTL_APPLYSET !== "true")
    throw new Error(`unknown flag: --applyset\nSee '${path} --help' for usage.`);
  if (args.length > 0) throw usageError(path, `Unexpected args: [${args.join(" ")}]`);
  const dryRun = dryRunOf(context);
  const propagation = propagationOf(context);
  requireFiles(flags);
  const validation = fieldValidation(flags);
  const parent =
    flags.applyset === ""
      ? undefined
      : await applySetParent(flags.applyset, await factory.mapper(), await factory.namespace());
  const allowed = flags["prune-allowlist"];
  const prunedKinds =
    flags.prune && allowed.length > 0 ? await allowedKinds(allowed, await factory.mapper()) : [];
  checkApplyFlags(flags, dryRun);
  const set = parent && new ApplySet(parent, context);
  if (set && !flags.prune) throw new Error("--applyset requires --prune");
  await set?.check();
  checkPruneFlags(flags);
  const isServerSide = flags["server-side"] && !given.has("field-manager");
  const requests = {
    isDryRun: dryRun === "server",
    fieldManager: isServerSide ? "kubectl" : flags["field-manager"],
    fieldValidation: validation,
    signal: context.signal,
    onWarning: (text: string) => factory.warn(text),
  };
  const application: Application = {
    context,
    flags,
    dryRun,
    validation,
    propagation,
    requests,
    prunedKinds,
    set,
    printsObjects: flags.output !== "" && flags.output !== "name",
  };
  return { run: () => applyAll(application) };
}

async function applyAll(application: Application): Promise<void> {
  const { context, flags, dryRun, validation, set } = application;
  const { factory } = context;
  const namespace = await factory.namespace();
  const errors: Error[] = [];
  const infos = await readObjects(application, errors);
  set?.label(infos);
  if (infos.length === 0 && errors.length === 0) throw new Error("no objects passed to apply");
  await set?.begin(infos, dryRun, validation);
  const namespaces = new Set(namespace.isGiven ? [namespace.namespace] : []);
  const visited = new Set<string>();
  for (const info of infos) {
    if (isNamespaced(info)) namespaces.add(info.namespace);
    try {
      await applyObject(info, application, visited);
    } catch (error) {
      explainInvalidFields(error as Error, info, context);
      errors.push(error as Error);
    }
  }
  const error = joinedErrors(errors);
  if (error) throw error;
  printAll(infos, application);
  if (!flags.prune) return;
  const { propagation } = application;
  const { signal } = context;
  const gracePeriod = flags["grace-period"];
  const client = await factory.client();
  const print = objectPrinter(context, { operation: "pruned", dryRun });
  const onWarning = (text: string): void => factory.warn(text);
  const options = { client, dryRun, propagation, gracePeriod, signal, print, onWarning };
  if (set) return set.prune(visited, validation, options);
  const scope = { namespaces: [...namespaces], labelSelector: flags.selector, visited };
  await pruneObjects(await prunedKindsOf(application), scope, options);
}

async function prunedKindsOf({ context, prunedKinds }: Application) {
  if (prunedKinds.length > 0) return prunedKinds;
  klog(
    context,
    "W",
    "Deprecated: kubectl apply will no longer prune non-namespaced resources by default when used with the --namespace flag in a future release. To preserve the current behaviour, list the resources you want to target explicitly in the --prune-allowlist flag.",
    "prune.go:71",
  );
  return defaultKinds(await context.factory.mapper());
}

async function readObjects(
  { context, flags, validation }: Application,
  errors: Error[],
): Promise<readonly Info[]> {
  const found = await findResources(context, {
    ...filenameQuery(flags),
    labelSelector: flags.selector,
    continuesOnError: true,
    flattens: true,
    skipsRequests: true,
    validate: documentValidator(context.factory, validation),
  });
  try {
    return await found.infos();
  } catch (error) {
    if (error instanceof InfosError) {
      errors.push(error.reason);
      return error.infos;
    }
    errors.push(error as Error);
    return [];
  } finally {
    for (const error of errors) explainSyntaxError(error, context);
  }
}

async function applyObject(
  info: Info,
  application: Application,
  visited: Set<string>,
): Promise<void> {
  const { context, flags } = application;
  if (info.object) info.object = recorded(context, info.object);
  const generateName = info.object?.metadata?.generateName ?? "";
  if (info.name === "" && generateName !== "")
    throw new Error(`from ${generateName}: cannot use generate name with apply`);
  const operation = flags["server-side"]
    ? await applyByServer(info, application)
    : await applyByClient(info, application);
  if (operation !== "created") warnIfDeleting(info, context);
  visited.add(info.object?.metadata.uid ?? "");
  if (application.printsObjects || !info.object) return;
  objectPrinter(context, { operation, dryRun: application.dryRun })(info.object);
}

async function applyByServer(
  info: Info,
  { context, flags, requests }: Application,
): Promise<string> {
  await applyOnServer(info, {
    context,
    client: await context.factory.client(),
    requests,
    forceConflicts: flags["force-conflicts"],
    subresource: flags.subresource,
  });
  return "serverside-applied";
}

/** Creates or patches an object; returns what was done. */
async function applyByClient(info: Info, application: Application): Promise<string> {
  const { context, flags, dryRun, propagation, requests } = application;
  const client = await context.factory.client();
  const target = helper(client, kindOf(info), requests);
  const wanted = info.object as DynamicObject;
  const modified = withSavedConfiguration(wanted);
  try {
    setRequested(info, await requestedObject(client, info, requests));
  } catch (error) {
    if (!StatusError.is(error, "NotFound"))
      throw withSource(
        `retrieving current configuration of:\n${describe(info)}\nfrom server for:`,
        info.source,
        error as Error,
      );
    info.object = withoutNulls(modified) as DynamicObject;
    if (dryRun === "client") return "created";
    const created = target.create(info.namespace, info.object).catch((cause: Error) => {
      throw withSource("creating", info.source, cause);
    });
    setObject(info, await created);
    return "created";
  }
  if (info.object?.metadata.annotations?.[lastAppliedAnnotation] === undefined)
    context.io.stderr.write(
      `Warning: resource ${kindOf(info).plural}/${info.name} is missing the ${lastAppliedAnnotation} annotation which is required by kubectl apply. kubectl apply should only be used on resources created declaratively by either kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically.\n`,
    );
  const { object, isUnchanged } = await patchObject(info, modified, {
    context,
    requests: target,
    isLocal: dryRun === "client",
    overwrite: flags.overwrite,
    usesOpenapi: flags["openapi-patch"],
    force: flags.force,
    propagation,
    gracePeriod: flags["grace-period"],
    timeoutMs: flags.timeout,
  });
  setObject(info, object);
  return isUnchanged ? "unchanged" : "configured";
}

/** A value without members that are null, as patches remove them. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isMap(value)) return value;
  const members = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(members.map(([name, inner]) => [name, withoutNulls(inner)]));
}

function warnIfDeleting({ object }: Info, { io }: Pick<CommandContext, "io">): void {
  const { deletionTimestamp, name } = object?.metadata ?? {};
  if (deletionTimestamp)
    io.stderr.write(
      `Warning: Detected changes to resource ${name} which is currently being deleted.\n`,
    );
}

/** Prints the objects in a format; several as a list. */
function printAll(infos: readonly Info[], { context, dryRun, printsObjects }: Application): void {
  const objects = infos.flatMap(({ object }) => (object ? [object] : []));
  const [first, ...others] = objects;
  if (!printsObjects || !first) return;
  if (others.length === 0) {
    objectPrinter(context, { dryRun })(first);
    return;
  }
  const list = { kind: "List", apiVersion: "v1", metadata: {}, items: objects.map(sorted) };
  objectPrinter(context, { dryRun, keepsOrder: true })(list as unknown as DynamicObject);
}

/** A value with the members of its maps in the order of their names. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isMap(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}
