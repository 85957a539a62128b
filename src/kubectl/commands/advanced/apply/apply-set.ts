import { createHash } from "node:crypto";
import { StatusError } from "../../../../api/meta/v1/status-error.ts";
import { NoMatchError } from "../../../../client/discovery/mapping-errors.ts";
import type { DiscoveredKind, RestMapper } from "../../../../client/discovery/rest-mapper.ts";
import { type DynamicObject, dynamicKind } from "../../../../client/resource-kind.ts";
import { quote } from "../../../../schema/values/quote.ts";
import { jsonText } from "../../../print/json-text.ts";
import { joinedErrors } from "../../../program/command-error.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import { type HelperOptions, helper } from "../../../resource/helper.ts";
import { type Info, kindOf } from "../../../resource/info.ts";
import { clientVersion } from "../../../version.ts";
import type { DryRun } from "../../shared/dry-run.ts";
import { klog } from "../../shared/klog.ts";
import { itemsOf, type PruneOptions, pruneObject } from "./prune-objects.ts";

const annotation = (name: string): string => `applyset.kubernetes.io/${name}`;
const toolingAnnotation = annotation("tooling");
const kindsAnnotation = annotation("contains-group-kinds");
const resourcesAnnotation = annotation("contains-group-resources");
const namespacesAnnotation = annotation("additional-namespaces");
const idLabel = annotation("id");
const memberLabel = annotation("part-of");
const parentTypeLabel = annotation("is-parent-type");

const toolName = "kubectl";
const tooling = `${toolName}/${clientVersion.gitVersion}`;
const fieldManager = `${toolName}-applyset`;

interface Members {
  /** Kinds by `Kind.group`. */
  readonly kinds: Map<string, DiscoveredKind>;
  readonly namespaces: Set<string>;
}

/** The object that knows which objects belong to a set. */
export interface ApplySetParent {
  readonly kind: DiscoveredKind;
  readonly namespace: string;
  readonly name: string;
}

/** Finds the parent that a flag names: `NAME` of a secret, or `RESOURCE.GROUP/NAME`. */
export async function applySetParent(
  text: string,
  mapper: RestMapper,
  namespace: { readonly namespace: string; readonly isGiven: boolean },
): Promise<ApplySetParent> {
  const slash = text.indexOf("/");
  const name = text.slice(slash + 1);
  try {
    if (name === "") throw new Error("name cannot be blank");
    const kind = await resourceNamed(slash < 0 ? "secrets" : text.slice(0, slash), mapper);
    const own = kind.scope === "Namespaced" && namespace.isGiven;
    return { kind, namespace: own ? namespace.namespace : "", name };
  } catch (error) {
    throw new Error(`invalid parent reference ${quote(text)}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

async function resourceNamed(name: string, mapper: RestMapper): Promise<DiscoveredKind> {
  try {
    return await mapper.named(name);
  } catch (error) {
    if (!(error instanceof NoMatchError)) throw error;
    const [plural = "", ...group] = name.split(".");
    throw new Error(`no matches for ${group.join(".")}/, Resource=${plural}`, { cause: error });
  }
}

/** A set of objects that are applied together; those that leave it are pruned. */
export class ApplySet {
  readonly #parent: ApplySetParent;
  readonly #context: Pick<CommandContext, "factory" | "io" | "signal">;
  #before: Members = { kinds: new Map(), namespaces: new Set() };
  readonly #now: Members = { kinds: new Map(), namespaces: new Set() };

  constructor(parent: ApplySetParent, context: Pick<CommandContext, "factory" | "io" | "signal">) {
    this.#parent = parent;
    this.#context = context;
  }

  /** The value of the label that all members have. */
  get id(): string {
    const { name, namespace, kind } = this.#parent;
    const hash = createHash("sha256").update([name, namespace, kind.kind, kind.group].join("."));
    return `applyset-${hash.digest("base64url")}-v1`;
  }

  /** Throws unless the parent may be one. */
  async check(): Promise<void> {
    const { kind, namespace } = this.#parent;
    const errors: Error[] = [];
    if (kind.scope === "Namespaced" && namespace === "")
      errors.push(new Error("namespace is required to use namespace-scoped ApplySet"));
    if (!isBuiltIn(kind)) {
      const allowed = await this.#customParents().catch((error: Error) => {
        errors.push(
          new Error(`identifying allowed custom resource parent types: ${error.message}`),
        );
        return new Set<string>();
      });
      if (!allowed.has(`${kind.plural}.${kind.group}`))
        errors.push(
          new Error(
            `resource ${quote(`${kind.group}/${kind.version}, Resource=${kind.plural}`)} is not permitted as an ApplySet parent`,
          ),
        );
    }
    const error = joinedErrors(errors);
    if (error) throw error;
  }

  async #customParents(): Promise<ReadonlySet<string>> {
    const definitions = dynamicKind({
      group: "apiextensions.k8s.io",
      version: "v1",
      kind: "CustomResourceDefinition",
      plural: "customresourcedefinitions",
      scope: "Cluster",
    });
    const client = await this.#context.factory.client();
    const list = await helper(client, definitions).list("", { labelSelector: parentTypeLabel });
    return new Set(itemsOf(list, definitions).map(({ metadata }) => metadata.name ?? ""));
  }

  /** Adds the label of members to objects. */
  label(infos: readonly Info[]): void {
    for (const info of infos) {
      if (!info.object) continue;
      const { metadata } = info.object;
      if (metadata?.labels?.[memberLabel] !== undefined)
        throw new Error(`ApplySet label ${quote(memberLabel)} already set in input data`);
      const labels = { ...metadata?.labels, [memberLabel]: this.id };
      info.object = { ...info.object, metadata: { ...metadata, labels } };
    }
  }

  /** Reads the parent, and notes there all kinds and namespaces that members have or will have. */
  async begin(infos: readonly Info[], dryRun: DryRun, validation: string): Promise<void> {
    await this.#read();
    for (const info of infos) {
      const kind = kindOf(info);
      this.#now.kinds.set(groupKind(kind), kind);
      if (kind.scope === "Namespaced" && info.namespace !== "")
        this.#now.namespaces.add(info.namespace);
    }
    const kinds = new Map([...this.#before.kinds, ...this.#now.kinds]);
    const namespaces = new Set([...this.#before.namespaces, ...this.#now.namespaces]);
    await this.#write({ kinds, namespaces }, dryRun, validation);
  }

  /** Deletes members that were not visited, and notes what the set consists of now. */
  async prune(
    visited: ReadonlySet<string>,
    validation: string,
    options: PruneOptions,
  ): Promise<void> {
    const labelSelector = `${memberLabel}=${this.id}`;
    const left: { kind: DiscoveredKind; namespace: string; object: DynamicObject }[] = [];
    for (const kind of this.#before.kinds.values()) {
      const namespaces = kind.scope === "Namespaced" ? this.#before.namespaces : [""];
      for (const namespace of namespaces) {
        const requests = helper(options.client, kind, options);
        const list = await requests.list(namespace, { labelSelector }).catch((error: Error) => {
          throw new Error(
            `listing ${kind.group}/${kind.version}, Kind=${kind.kind} objects for pruning: ${error.message}`,
            { cause: error },
          );
        });
        for (const object of itemsOf(list, kind))
          if (!visited.has(object.metadata.uid ?? "")) left.push({ kind, namespace, object });
      }
    }
    for (const { kind, namespace, object } of left)
      await pruneObject(object, { kind, namespace }, options).catch((error: Error) => {
        const at = namespace === "" ? "" : `${namespace}/`;
        throw new Error(
          `pruning ${groupKind(kind)} ${at}${object.metadata.name}: ${error.message}`,
          { cause: error },
        );
      });
    await this.#write(this.#now, options.dryRun, validation).catch((error: Error) => {
      throw new Error(`apply and prune succeeded, but ApplySet update failed: ${error.message}`, {
        cause: error,
      });
    });
  }

  async #read(): Promise<void> {
    const { kind, namespace } = this.#parent;
    const { factory, signal } = this.#context;
    const requests = helper(await factory.client(), kind, { signal });
    const shown = quote(`${kind.plural}.${kind.group}/${this.#parent.name}`);
    const found = await requests.get(this.#parent).catch((error: Error) => error);
    if (StatusError.is(found, "NotFound")) {
      if (!isBuiltIn(kind))
        throw new Error("custom resource ApplySet parents cannot be created automatically");
      return;
    }
    if (found instanceof Error)
      throw new Error(`failed to fetch ApplySet parent object ${shown}: ${found.message}`, {
        cause: found,
      });
    const { annotations = {}, labels = {} } = found.metadata;
    this.#checkParent(shown, annotations, labels);
    try {
      const kinds = await membersKinds(annotations, await factory.mapper());
      const texts = (annotations[namespacesAnnotation] ?? "").split(",");
      const namespaces = new Set(texts.filter((text) => text !== ""));
      if (kind.scope === "Namespaced") namespaces.add(namespace);
      this.#before = { kinds, namespaces };
    } catch (error) {
      throw new Error(`parsing ApplySet annotation on ${shown}: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  #checkParent(
    shown: string,
    annotations: Readonly<Record<string, string>>,
    labels: Readonly<Record<string, string>>,
  ): void {
    const tool = annotations[toolingAnnotation];
    if (tool === undefined)
      throw new Error(
        `ApplySet parent object ${shown} already exists and is missing required annotation ${quote(toolingAnnotation)}`,
      );
    const managedBy = tool.includes("/") ? tool.slice(0, tool.lastIndexOf("/")) : tool;
    if (managedBy !== toolName)
      throw new Error(
        `ApplySet parent object ${shown} already exists and is managed by tooling ${quote(managedBy)} instead of ${quote(toolName)}`,
      );
    const id = labels[idLabel];
    if (id === undefined)
      throw new Error(
        `ApplySet parent object ${shown} exists and does not have required label ${idLabel}`,
      );
    if (id !== this.id)
      throw new Error(
        `ApplySet parent object ${shown} exists and has incorrect value for label ${quote(idLabel)} (got: ${id}, want: ${this.id})`,
      );
  }

  async #write(members: Members, dryRun: DryRun, fieldValidation: string): Promise<void> {
    if (dryRun === "client") return;
    const { factory, signal } = this.#context;
    const isDryRun = dryRun === "server";
    const options: HelperOptions = { isDryRun, fieldManager, fieldValidation, signal };
    const requests = helper(await factory.client(), this.#parent.kind, options);
    const body = jsonText(this.#document(members));
    const apply = (force: boolean): Promise<DynamicObject> =>
      requests.patch(this.#parent, { type: "apply", body, force });
    try {
      await apply(false).catch((error: Error) => {
        if (!StatusError.is(error, "Conflict")) throw error;
        klog(
          this.#context,
          "W",
          `WARNING: failed to update ApplySet: ${error.message}\nApplySet field manager ${fieldManager} should own these fields. Retrying with conflicts forced.`,
          "applyset.go:447",
        );
        return apply(true);
      });
    } catch (error) {
      throw new Error(`failed to update ApplySet: ${(error as Error).message}`, { cause: error });
    }
  }

  #document({ kinds, namespaces }: Members): object {
    const { kind, name, namespace } = this.#parent;
    const others = [...namespaces].filter((one) => one !== namespace);
    return {
      kind: kind.kind,
      apiVersion: kind.group === "" ? kind.version : `${kind.group}/${kind.version}`,
      metadata: {
        name,
        ...(namespace !== "" && { namespace }),
        labels: { [idLabel]: this.id },
        annotations: {
          [namespacesAnnotation]: others.sort().join(","),
          [kindsAnnotation]: [...kinds.keys()].sort().join(","),
          [toolingAnnotation]: tooling,
        },
      },
    };
  }
}

const isBuiltIn = ({ group, plural }: DiscoveredKind): boolean =>
  group === "" && (plural === "secrets" || plural === "configmaps");

const groupKind = ({ group, kind }: DiscoveredKind): string =>
  group === "" ? kind : `${kind}.${group}`;

/** The kinds that the parent's annotations name. */
async function membersKinds(
  annotations: Readonly<Record<string, string>>,
  mapper: RestMapper,
): Promise<Map<string, DiscoveredKind>> {
  const texts = annotations[kindsAnnotation];
  const resources = annotations[resourcesAnnotation] ?? "";
  const kinds = new Map<string, DiscoveredKind>();
  if (texts === undefined) {
    if (resources === "")
      throw new Error(
        `kubectl requires the ${quote(kindsAnnotation)} annotation to be set on all ApplySet parent objects`,
      );
    for (const text of resources.split(",")) {
      const kind = await mapper.named(text).catch((error: Error) => {
        throw new Error(
          `invalid group resource in ${quote(resourcesAnnotation)} annotation: ${error.message}`,
          { cause: error },
        );
      });
      kinds.set(groupKind(kind), kind);
    }
    return kinds;
  }
  for (const text of texts.split(",").filter((one) => one !== "")) {
    const [name = "", ...group] = text.split(".");
    const kind = await mapper.kind({ kind: name, group: group.join(".") }).catch((error: Error) => {
      throw new Error(
        `could not find mapping for kind in ${quote(kindsAnnotation)} annotation: ${error.message}`,
        { cause: error },
      );
    });
    kinds.set(text, kind);
  }
  return kinds;
}
