import { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import type { GroupResource } from "../../api/meta/v1/group-resource.ts";
import { StorageVersionMigration } from "../../api/storagemigration/v1beta1/storage-version-migration.ts";
import { errorMessage } from "../../base/error-message.ts";
import { createDiscovery } from "../../client/discovery/discovery.ts";
import type { ApiResource } from "../../client/discovery/server-apis.ts";
import { ignoreNotFound } from "../../client/ignore-not-found.ts";
import { dynamicKind } from "../../client/resource-kind.ts";
import { retryOnConflict } from "../../controller-runtime/objects/retry-on-conflict.ts";
import { queueController } from "../../controller-runtime/reconcile/queue-controller.ts";
import { formatTime, millisOf, parseTime, timeFromMillis } from "../../schema/values/time.ts";
import { isTemporary, migrateObjects } from "./migrate-objects.ts";
import { type AppliedStatus, beginning, ending } from "./migrated-definition.ts";
import {
  hasEnded,
  isRunning,
  planMigrations,
  resourceText,
  withoutRunning,
  withReached,
} from "./migration-state.ts";

const name = "storage-version-migrator-controller";
const definitionManager = "migration-runner-controller";
const neededVerbs = ["update", "patch", "list"];
/** A resource that is not served may have been created just now. */
const newMs = 60_000;
/** No namespace can have this name, so that the list is empty. */
const noNamespace = "@fake:svm_ns!";

/**
 * Has all objects of a resource stored in its current version, for each StorageVersionMigration: one runs at a time
 * for a resource. It takes the resource's version first, then writes each older object anew, then reduces the stored
 * versions of a custom resource.
 */
export const storageVersionMigratorController = queueController({
  name,
  setUp(ctx) {
    const { client, clock, random, signal } = ctx;
    const migrations = ctx.informer(StorageVersionMigration);
    const discovery = createDiscovery(client);

    const writeStatus = async (migration: StorageVersionMigration): Promise<void> => {
      const options = { subresource: "status", signal };
      await client.update(StorageVersionMigration, migration, options);
    };
    const fail = (migration: StorageVersionMigration, message: string): Promise<void> => {
      const condition = { type: "Failed", reason: "StorageVersionMigrationFailed", message };
      return writeStatus(withReached(migration, condition, clock));
    };

    /** Applies to the status of the definition of a resource, if it is a custom one. */
    const describe = (
      resource: GroupResource,
      status: (definition: CustomResourceDefinition, now: string) => AppliedStatus,
    ): Promise<void> =>
      retryOnConflict(
        async () => {
          const key = { name: `${resource.resource}.${resource.group}` };
          const found = await ignoreNotFound(client.get(CustomResourceDefinition, key, { signal }));
          if (!found) return;
          const now = formatTime(timeFromMillis(clock.now()));
          // With its version: the generation is of what was read.
          const { resourceVersion } = found.metadata;
          const body = {
            apiVersion: found.apiVersion,
            kind: found.kind,
            metadata: { ...key, resourceVersion },
            status: status(found, now),
          };
          const options = { fieldManager: definitionManager, force: true, signal };
          // Only a part of the status is applied, without a spec.
          const kind = dynamicKind(CustomResourceDefinition);
          await client.apply(kind, body, { ...options, subresource: "status" });
        },
        { clock, random, signal },
      );

    /** The preferred version of a resource; undefined if it is not served. */
    const served = async ({ group = "", resource }: GroupResource) => {
      const find = async (isNew: boolean): Promise<ApiResource | undefined> => {
        const apis = await discovery.apis({
          signal,
          ...(isNew && { newerThan: discovery.known }),
        });
        const preferred = apis.groups.find((one) => one.name === group)?.preferredVersion;
        const all = apis.resources.filter((one) => one.group === group && one.plural === resource);
        return all.find(({ version }) => version === preferred) ?? all[0];
      };
      return (await find(false)) ?? find(true);
    };

    const isNew = ({ metadata: { creationTimestamp = "" } }: StorageVersionMigration): boolean =>
      clock.now() < millisOf(parseTime(creationTimestamp)) + newMs;

    /** Ends and begins migrations of a resource. */
    const resources = ctx.queue<string>({
      name: "migration-runner-controller",
      workers: 1,
      failure: "beginning or ending a migration failed",
      logFields: (resource) => ({ resource }),
      async work(text) {
        const all = migrations.list();
        const resource = all.find(({ spec }) => resourceText(spec.resource) === text)?.spec
          .resource;
        if (!resource) return;
        const { toEnd, toBegin } = planMigrations(all, resource);
        for (const migration of toEnd) {
          const { conditions = [] } = migration.status;
          const hasSucceeded = conditions.some(
            ({ type, status }) => type === "Succeeded" && status === "True",
          );
          await describe(resource, (definition, now) => ending(definition, hasSucceeded, now));
          await writeStatus(withoutRunning(migration, clock));
        }
        if (!toBegin) return;
        const own = toBegin.metadata.name ?? "";
        await describe(resource, (definition, now) => beginning(definition, own, now));
        const message = "The migration is running";
        const condition = { type: "Running", reason: "MigrationRunning", message };
        await writeStatus(withReached(toBegin, condition, clock));
      },
    });

    /** Takes the version of a resource; returns why the migration cannot run. */
    const takeVersion = async (migration: StorageVersionMigration): Promise<string | undefined> => {
      const resource = await served(migration.spec.resource);
      if (!resource) {
        if (isNew(migration)) throw new Error("the resource is not served yet");
        return "resource does not exist in discovery";
      }
      const { group, version, plural, verbs } = resource;
      if (!neededVerbs.every((verb) => verbs.includes(verb)))
        return `resource "${group}/${version}, Resource=${plural}" does not support discovery operations: [${neededVerbs.join(" ")}]`;
      const namespace = resource.scope === "Namespaced" ? { namespace: noNamespace } : {};
      const list = await client.list(dynamicKind(resource), { ...namespace, limit: 1, signal });
      const { resourceVersion = "" } = list.metadata;
      if (!/^[1-9]\d*$/.test(resourceVersion))
        return `latest resourceVersion for ${group}/${version}, Resource=${plural} is not valid: resource version is not well formed: ${resourceVersion}`;
      await writeStatus({ ...migration, status: { ...migration.status, resourceVersion } });
      return undefined;
    };

    const versions = ctx.queue<string>({
      name: "resource-version-controller",
      workers: 1,
      failure: "taking the version of a resource failed",
      logFields: (migration) => ({ migration }),
      async work(key) {
        const migration = migrations.get({ name: key });
        if (!migration || !isRunning(migration) || hasEnded(migration)) return;
        if (migration.status.resourceVersion) return;
        const fault = await takeVersion(migration);
        if (fault !== undefined) await fail(migration, fault);
      },
    });

    const objects = ctx.queue<string>({
      name,
      workers: 5,
      failure: "migrating a resource failed",
      logFields: (migration) => ({ migration }),
      async work(key) {
        const migration = migrations.get({ name: key });
        const { resourceVersion } = migration?.status ?? {};
        if (!migration || hasEnded(migration) || !resourceVersion) return;
        const failed = (message: string) =>
          fail(migration, `migration encountered unhandled error: ${message}`);
        const resource = await served(migration.spec.resource);
        if (!resource) {
          if (isNew(migration)) throw new Error("the resource is not served yet");
          return failed("unable to obtain GVR from discovery");
        }
        try {
          await migrateObjects(resource, { client, fieldManager: name, resourceVersion, signal });
        } catch (error) {
          if (signal.aborted || isTemporary(error)) throw error;
          return failed(errorMessage(error));
        }
        const reason = "StorageVersionMigrationSucceeded";
        const condition = { type: "Succeeded", reason, message: "" };
        await writeStatus(withReached(migration, condition, clock));
      },
    });

    const enqueue = ({ metadata, spec }: StorageVersionMigration): void => {
      resources.add(resourceText(spec.resource));
      versions.add(metadata.name ?? "");
      objects.add(metadata.name ?? "");
    };
    ctx.onSynced(() => {
      migrations.addHandler({
        added: enqueue,
        updated: enqueue,
        deleted: ({ spec }) => resources.add(resourceText(spec.resource)),
      });
    });
  },
});
