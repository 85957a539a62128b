import type { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import type { APIService, APIServiceSpec } from "../../api/apiregistration/v1/api-service.ts";
import { compareUtf8 } from "../../schema/values/utf8-order.ts";
import { customPriority, type Priority, priorityOf } from "../documents/group-priorities.ts";
import type { Address } from "../objects/address.ts";
import type { AnyKind, ApiObject, ObjectDraft } from "../objects/object.ts";
import { serverContext } from "../server-context.ts";
import { deleteObject } from "../verbs/delete.ts";
import { tolerating } from "../verbs/tolerating.ts";
import { update } from "../verbs/update.ts";
import type { VerbParts } from "../verbs/verb-parts.ts";
import type { CacheEvent } from "../watch/watch-cache.ts";
import type { Keeper, KeeperStart } from "./follower.ts";
import { cached, ensure, type Placed, placed } from "./own-work.ts";
import { managedLabel, managementOf, registrationStep } from "./registration-step.ts";

const apiVersion = "apiregistration.k8s.io/v1";

/** The registrations of all versions that are declared and served. */
export const ownRegistrations = (parts: VerbParts): Placed[] =>
  declaredRegistrations(parts).flatMap((object) => placed(parts, object));

/** Which of them have not been available yet, when asked; undefined once all have been. */
export function unregistered(parts: VerbParts): () => string | undefined {
  let pending: Map<string, Address> | undefined;
  return () => {
    pending ??= new Map(ownRegistrations(parts).map(({ address }) => [address.name, address]));
    for (const [name, address] of pending) {
      const { status } = (cached(parts, address) ?? {}) as Partial<APIService>;
      const isAvailable = status?.conditions?.some(
        (condition) => condition.type === "Available" && condition.status === "True",
      );
      if (isAvailable) pending.delete(name);
    }
    return pending.size === 0
      ? undefined
      : `missing APIService: [${[...pending.keys()].sort(compareUtf8).join(" ")}]`;
  };
}

/**
 * Keeps a registration for each version of a group that this server serves: for what is declared as it
 * starts, for what clients define as long as they do.
 */
export function keepRegistrations(
  parts: VerbParts,
  { isKept = false }: KeeperStart = {},
): Keeper[] {
  const services = parts.resources.findVersion(apiVersion, "APIService");
  if (!services) return [];
  const definitions = parts.resources.find(
    "apiextensions.k8s.io",
    "v1",
    "customresourcedefinitions",
  );
  const declared = new Map(declaredRegistrations(parts).map((item) => [nameOf(item), item]));
  const wasThere = new Set(objectsOf(parts, services).map(nameOf));
  const all = [
    ...declared.keys(),
    ...wasThere,
    ...objectsOf(parts, definitions).flatMap((item) => namesOf(item)),
  ];
  const synced = new Set(isKept ? all : []);
  /** What is to be looked at: at first all there is, and should be. */
  const due = new Set(isKept ? [] : all);

  async function look(name: string, custom: ApiObject | undefined): Promise<void> {
    const address = { kind: services as AnyKind, namespace: "", name };
    const desired = custom ?? declared.get(name);
    const current = cached(parts, address);
    const step = registrationStep({
      desired: desired && {
        management: custom ? "true" : "onstart",
        spec: desired.spec as object,
      },
      current: current && {
        management: managementOf(current.metadata.labels),
        spec: current.spec as object,
      },
      wasThere: wasThere.has(name),
      hasSynced: synced.has(name),
    });
    if (step === "create" && desired) await ensure(parts, { address, object: desired });
    if (step === "delete") await remove(parts, address, current?.metadata.uid);
    if (step === "update" && desired) await setSpec(parts, address, desired);
    synced.add(name);
  }

  return [
    {
      task: "keep registrations of APIs",
      queue: "autoregister",
      kinds: [services, ...(definitions ? [definitions] : [])],
      concerns(event) {
        for (const name of namesIn(event)) due.add(name);
        return true;
      },
      async sync() {
        const defined = definedRegistrations(objectsOf(parts, definitions) as never[]);
        for (const name of [...due]) {
          due.delete(name);
          try {
            await look(name, defined.get(name));
          } catch (error) {
            due.add(name);
            throw error;
          }
        }
      },
    },
  ];
}

function declaredRegistrations({ resources: { declared } }: VerbParts): readonly ApiObject[] {
  const known = registrations.get(declared) ?? registrationsOf(declared);
  registrations.set(declared, known);
  return known;
}

/** Those of kinds that are declared together, which a server has in common with its forks. */
const registrations = new WeakMap<readonly AnyKind[], readonly ApiObject[]>();

function registrationsOf(declared: readonly AnyKind[]): readonly ApiObject[] {
  const versions = new Map(
    declared.map(({ group, version }) => [`${version}.${group}`, { group, version }]),
  );
  return [...versions.values()].flatMap(({ group, version }) => {
    const priority = priorityOf(group, version);
    return priority ? [registration({ group, version }, priority, "onstart")] : [];
  });
}

/** The registrations that definitions ask for, by name. */
function definedRegistrations(
  definitions: readonly CustomResourceDefinition[],
): ReadonlyMap<string, ApiObject> {
  const defined = definitions.flatMap(({ spec: { group, versions } }) =>
    versions
      .filter(({ served }) => served)
      .map(({ name }) => registration({ group, version: name }, customPriority, "true")),
  );
  return new Map(defined.map((object) => [nameOf(object), object]));
}

function registration(
  { group, version }: { readonly group: string; readonly version: string },
  priority: Priority,
  management: "onstart" | "true",
): ApiObject {
  const spec: APIServiceSpec = {
    ...(group !== "" && { group }),
    version,
    groupPriorityMinimum: priority.group,
    versionPriority: priority.version,
  };
  const metadata = { name: `${version}.${group}`, labels: { [managedLabel]: management } };
  return { kind: "APIService", apiVersion, metadata, spec };
}

const nameOf = ({ metadata }: ApiObject): string => metadata.name ?? "";

/** The names of the registrations that a change may be about. */
const namesIn = ({ object, previous }: CacheEvent): string[] => [
  ...namesOf(object.object),
  ...(previous ? namesOf(previous.object) : []),
];

function namesOf(object: ApiObject): string[] {
  if (object.kind === "APIService") return [nameOf(object)];
  const { spec } = object as unknown as CustomResourceDefinition;
  return spec.versions.map(({ name }) => `${name}.${spec.group}`);
}

function objectsOf(parts: VerbParts, kind: AnyKind | undefined): ApiObject[] {
  if (!kind) return [];
  const cache = parts.reader.cache.of(kind);
  return Array.from(cache.readable(cache.prefix), ({ object }) => object);
}

/** Somebody else may have deleted or replaced it: then there is another look at it. */
async function remove(parts: VerbParts, address: Address, uid: string | undefined) {
  const options = uid === undefined ? {} : { preconditions: { uid } };
  const work = deleteObject(parts, address, { options, context: serverContext() });
  await tolerating(["NotFound", "Conflict"], work);
}

async function setSpec(parts: VerbParts, address: Address, { spec }: ApiObject): Promise<void> {
  const change = (existing: ApiObject | undefined) =>
    structuredClone({ ...(existing as APIService), spec }) as ObjectDraft;
  const work = update(parts, { address, subresource: "", change }, serverContext());
  await tolerating(["NotFound", "Conflict"], work);
}
