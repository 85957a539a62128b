import { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import { APIService, type APIServiceSpec } from "../../api/apiregistration/v1/api-service.ts";
import { compareUtf8 } from "../../schema/values/utf8-order.ts";
import { customPriority, type Priority, priorityOf } from "../documents/group-priorities.ts";
import type { AnyKind, ApiObject } from "../objects/object.ts";
import type { ObjectReader } from "../objects/reader.ts";
import type { Resources } from "../objects/resources.ts";
import type { OwnParts } from "../verbs/writer.ts";
import type { CacheEvent } from "../watch/watch-cache.ts";
import type { Reconciler, ReconcilerStart } from "./reconcile-loop.ts";
import { managedLabel, managementOf, registrationStep } from "./registration-step.ts";

/** A registration that the server writes: an APIService without status. */
type Registration = Omit<APIService, "status">;

/** Which declared versions have not been available yet; undefined once all have been. */
export function unregistered({
  reader,
  resources,
}: {
  readonly reader: ObjectReader;
  readonly resources: Resources;
}): () => string | undefined {
  let pending: Set<string> | undefined;
  return () => {
    pending ??= new Set(
      reader.serves(APIService) ? declaredRegistrations(resources).map(nameOf) : [],
    );
    for (const name of pending) {
      const service = reader.getCached(APIService, { name });
      const isAvailable = service?.status?.conditions?.some(
        (condition) => condition.type === "Available" && condition.status === "True",
      );
      if (isAvailable) pending.delete(name);
    }
    return pending.size === 0
      ? undefined
      : `missing APIService: [${[...pending].sort(compareUtf8).join(" ")}]`;
  };
}

/**
 * Reconciles the registrations of the versions that this server serves: of declared versions when it
 * starts, of custom resources always.
 */
export function registrationReconciler(
  { reader, writer, resources }: OwnParts & { readonly resources: Resources },
  { isReconciled = false }: ReconcilerStart = {},
): Reconciler[] {
  if (!reader.serves(APIService)) return [];
  const definitions = () => reader.listReadable(CustomResourceDefinition);
  const declared = new Map(declaredRegistrations(resources).map((item) => [nameOf(item), item]));
  const existedAtStart = new Set(reader.listReadable(APIService).map(nameOf));
  const all = [...declared.keys(), ...existedAtStart, ...definitions().flatMap(namesDefined)];
  const synced = new Set(isReconciled ? all : []);
  /** The names to reconcile: at first all existing and desired ones. */
  const due = new Set(isReconciled ? [] : all);

  async function reconcileOne(name: string, custom: Registration | undefined): Promise<void> {
    const desired = custom ?? declared.get(name);
    const current = reader.getCached(APIService, { name });
    const step = registrationStep({
      desired: desired && { management: custom ? "true" : "onstart", spec: desired.spec },
      current: current && {
        management: managementOf(current.metadata.labels),
        spec: current.spec,
      },
      existedAtStart: existedAtStart.has(name),
      hasSynced: synced.has(name),
    });
    if (step === "create" && desired) await writer.ensure(APIService, desired);
    // If another client replaces or deletes it first, that change is reconciled later.
    if (step === "delete") await writer.delete(APIService, { name }, current?.metadata);
    if (step === "update" && desired)
      await writer.update(APIService, { name }, (existing) => ({
        ...existing,
        spec: desired.spec,
      }));
    synced.add(name);
  }

  return [
    {
      task: "registrations of APIs",
      queue: "autoregister",
      kinds: [APIService, CustomResourceDefinition],
      isRelevant(event) {
        for (const name of namesIn(event)) due.add(name);
        return true;
      },
      async reconcile() {
        const defined = definedRegistrations(definitions(), due);
        for (const name of [...due]) {
          due.delete(name);
          try {
            await reconcileOne(name, defined.get(name));
          } catch (error) {
            due.add(name);
            throw error;
          }
        }
      },
    },
  ];
}

/** The registrations of all versions that are declared and served. */
export function declaredRegistrations({ declared }: Resources): readonly Registration[] {
  const known = registrations.get(declared) ?? registrationsOf(declared);
  registrations.set(declared, known);
  return known;
}

/** The registrations of declared kinds, which a server shares with its forks. */
const registrations = new WeakMap<readonly AnyKind[], readonly Registration[]>();

function registrationsOf(declared: readonly AnyKind[]): readonly Registration[] {
  const versions = new Map(
    declared.map(({ group, version }) => [`${version}.${group}`, { group, version }]),
  );
  return [...versions.values()].flatMap(({ group, version }) => {
    const priority = priorityOf(group, version);
    const management = group === replaceable ? undefined : "onstart";
    return priority ? [registration({ group, version }, priority, management)] : [];
  });
}

/**
 * The group that users may have a server of their own serve, such as metrics-server: once they have replaced its
 * registration, nobody changes it back.
 */
const replaceable = "metrics.k8s.io";

/** Those of some registrations that custom resource definitions have, by name. */
function definedRegistrations(
  definitions: readonly CustomResourceDefinition[],
  names: ReadonlySet<string>,
): ReadonlyMap<string, Registration> {
  const defined = new Map<string, Registration>();
  for (const { spec } of definitions) {
    const { group, versions } = spec;
    for (const { name: version, served } of versions) {
      const name = `${version}.${group}`;
      if (served && names.has(name) && !defined.has(name))
        defined.set(name, registration({ group, version }, customPriority, "true"));
    }
  }
  return defined;
}

function registration(
  { group, version }: { readonly group: string; readonly version: string },
  priority: Priority,
  management: "onstart" | "true" | undefined,
): Registration {
  const spec: APIServiceSpec = {
    ...(group !== "" && { group }),
    version,
    groupPriorityMinimum: priority.group,
    versionPriority: priority.version,
  };
  const metadata = {
    name: `${version}.${group}`,
    ...(management !== undefined && { labels: { [managedLabel]: management } }),
  };
  return { kind: "APIService", apiVersion: "apiregistration.k8s.io/v1", metadata, spec };
}

const nameOf = ({ metadata }: Pick<ApiObject, "metadata">): string => metadata.name ?? "";

/** The names of the registrations that a change may be about. */
const namesIn = ({ object, previous }: CacheEvent): string[] => [
  ...namesOf(object.object),
  ...(previous ? namesOf(previous.object) : []),
];

const namesOf = (object: ApiObject): string[] =>
  object.kind === "APIService"
    ? [nameOf(object)]
    : namesDefined(object as ApiObject & Pick<CustomResourceDefinition, "spec">);

const namesDefined = ({ spec }: Pick<CustomResourceDefinition, "spec">): string[] =>
  spec.versions.map(({ name }) => `${name}.${spec.group}`);
