import { StatusError } from "../../../../api/meta/v1/status-error.ts";
import type { Client } from "../../../../client/client.ts";
import type { DynamicObject } from "../../../../client/resource-kind.ts";
import { jsonText } from "../../../print/json-text.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import { type HelperOptions, helper } from "../../../resource/helper.ts";
import { type Info, kindOf, setObject, setRequested } from "../../../resource/info.ts";
import { requestedObject } from "../../../resource/requested-object.ts";
import { lastAppliedAnnotation } from "../../shared/saved-configuration.ts";
import { annotationOwners, migratedManagers } from "./migrate-managers.ts";

export interface ServerSideOptions {
  readonly context: Pick<CommandContext, "io">;
  readonly client: Client;
  readonly requests: HelperOptions & { readonly fieldManager: string };
  readonly forceConflicts: boolean;
  readonly subresource: string;
}

const defaultManager = "kubectl";
const maxRetries = 5;
const notFatal = "This is non-fatal and will be retried next time you apply. Error:";

/** Applies an object by a request for server-side apply, and takes over fields of client-side managers. */
export async function applyOnServer(info: Info, options: ServerSideOptions): Promise<void> {
  const { context, client, requests, forceConflicts, subresource } = options;
  const kind = kindOf(info);
  const body = `${jsonText(info.object)}\n`;
  const place = { namespace: info.namespace, name: info.name };
  const target = helper(client, kind, { ...requests, subresource });
  const apply = (): Promise<DynamicObject> =>
    target.patch(place, { type: "apply", body, force: forceConflicts });
  try {
    setObject(info, await apply());
  } catch (error) {
    throw applyError(error as Error);
  }
  const warn = (text: string): void => context.io.stderr.write(text);
  try {
    await keepAnnotation(info, options);
  } catch (error) {
    warn(
      `Warning: failed to migrate kubectl.kubernetes.io/last-applied-configuration for Server-Side Apply. ${notFatal} ${(error as Error).message}\n`,
    );
    return;
  }
  let isMigrated = false;
  try {
    isMigrated = await migrate(info, options);
  } catch (error) {
    warn(
      `Warning: server rejected managed fields migration to Server-Side Apply. ${notFatal} ${(error as Error).message}\n`,
    );
  }
  if (!isMigrated) return;
  try {
    setObject(info, await apply());
  } catch (error) {
    warn(
      `Warning: failed to re-apply configuration after performing Server-Side Apply migration. ${notFatal} ${(error as Error).message}\n`,
    );
  }
}

function applyError(error: Error): Error {
  if (error instanceof StatusError && error.code === 415)
    return new Error(`Server-side apply not available on the server: (${error.message})`);
  if (!StatusError.is(error, "Conflict")) return error;
  return new Error(
    `${error.message}
Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the \`--force-conflicts\` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts`,
    { cause: error },
  );
}

/** Takes ownership of the annotation of client-side apply, which would else be removed with its manager. */
async function keepAnnotation(info: Info, { client, requests }: ServerSideOptions): Promise<void> {
  if (requests.fieldManager !== defaultManager || !info.object) return;
  const { metadata } = info.object;
  const annotation = metadata.annotations?.[lastAppliedAnnotation];
  if (annotation === undefined) return;
  if (annotationOwners(metadata.managedFields ?? [], "Apply").length > 0) return;
  const { group, version, kind } = kindOf(info);
  const body = {
    apiVersion: group === "" ? version : `${group}/${version}`,
    kind,
    metadata: {
      annotations: { [lastAppliedAnnotation]: annotation },
      name: info.name,
      ...(info.namespace !== "" && { namespace: info.namespace }),
    },
  };
  const manager = { ...requests, fieldManager: "kubectl-last-applied" };
  const patched = await helper(client, kindOf(info), manager).patch(info, {
    type: "apply",
    body: `${jsonText(body)}\n`,
  });
  setObject(info, patched);
}

/** Gives the fields of client-side managers to the manager that applies; returns whether there were any. */
async function migrate(info: Info, { client, requests }: ServerSideOptions): Promise<boolean> {
  const target = helper(client, kindOf(info), requests);
  const from = annotationOwners(info.object?.metadata.managedFields ?? [], "Update");
  for (let attempt = 1; ; attempt++) {
    const { managedFields = [], resourceVersion } = info.object?.metadata ?? {};
    const migrated = migratedManagers(managedFields, from, requests.fieldManager);
    if (!migrated) return false;
    const body = jsonText([
      { op: "replace", path: "/metadata/managedFields", value: migrated },
      { op: "replace", path: "/metadata/resourceVersion", value: resourceVersion },
    ]);
    try {
      setObject(info, await target.patch(info, { type: "json", body }));
      return true;
    } catch (error) {
      if (!StatusError.is(error, "Conflict") || attempt === maxRetries) throw error;
      setRequested(info, await requestedObject(client, info, requests));
    }
  }
}
