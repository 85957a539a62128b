import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StatusError } from "../../../../api/meta/v1/status-error.ts";
import { sleep } from "../../../../base/clock.ts";
import { readAll } from "../../../program/io.ts";
import { documentValidator } from "../../../resource/document-validator.ts";
import { findResources, type ResourceQuery } from "../../../resource/find-resources.ts";
import { helper } from "../../../resource/helper.ts";
import { type Info, kindOf, setObject } from "../../../resource/info.ts";
import { deleteObjects } from "../../shared/delete-objects.ts";
import { fieldValidation } from "../../shared/field-validation.ts";
import { filenameQuery } from "../../shared/filename-flags.ts";
import { withUpdatedConfiguration } from "../../shared/saved-configuration.ts";
import type { ForcedReplacement, ReplaceContext } from "../replace-command.ts";

/** Deletes the objects of files, waits until they are gone, and creates them. */
export async function replaceByForce(
  context: ReplaceContext,
  replacement: ForcedReplacement,
): Promise<undefined> {
  const { filename, subresource } = context.flags;
  // The input can be read once only, and the objects are read several times.
  const folder = filename.includes("-")
    ? await mkdtemp(join(tmpdir(), "kubectl_replace_"))
    : undefined;
  try {
    const filenames = [...filename];
    if (folder !== undefined) {
      const copy = join(folder, "resource.stdin");
      await writeFile(copy, await readAll(context.io.stdin));
      filenames[filenames.indexOf("-")] = copy;
    }
    const query = {
      ...filenameQuery(context.flags),
      filenames,
      subresource,
      isStdinUsed: folder !== undefined,
      flattens: true,
      continuesOnError: true,
    };
    await deleteAll(context, query, replacement);
    await createAll(context, query, replacement);
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true });
  }
  return undefined;
}

async function deleteAll(
  context: ReplaceContext,
  query: ResourceQuery,
  { gracePeriod, waits, propagation }: ForcedReplacement,
): Promise<void> {
  const { flags, args } = context;
  const found = await findResources(context, { ...query, args, skipsRequests: true });
  await deleteObjects(context, found, {
    gracePeriod,
    propagation,
    waits,
    ignoresNotFound: true,
    output: flags.output,
    timeoutMs: flags.timeout,
  });
  await found.visit(async (info, error) => {
    if (error) throw error;
    await untilMissing(context, info, flags.timeout || defaultTimeoutMs);
  });
}

const defaultTimeoutMs = 300_000;
const pollMs = 1000;

/** Looks for an object every second until it does not exist. */
async function untilMissing(
  { factory, signal, flags }: ReplaceContext,
  info: Info,
  timeoutMs: number,
): Promise<void> {
  const { clock } = factory;
  const deadline = clock.now() + timeoutMs;
  const { subresource } = flags;
  const requests = helper(await factory.client(), kindOf(info), { subresource, signal });
  for (;;) {
    try {
      await requests.get(info);
    } catch (error) {
      if (StatusError.is(error, "NotFound")) return;
      throw error;
    }
    const left = deadline - clock.now();
    await sleep(clock, Math.max(0, Math.min(left, pollMs)), signal);
    if (left < pollMs) throw new Error("context deadline exceeded");
  }
}

async function createAll(
  context: ReplaceContext,
  query: ResourceQuery,
  { validation, print }: ForcedReplacement,
): Promise<void> {
  const { flags, factory, signal } = context;
  const validate = documentValidator(factory, fieldValidation(flags));
  const found = await findResources(context, { ...query, validate });
  let count = 0;
  await found.visit(async (info, error) => {
    if (error) throw error;
    if (!info.object) return;
    const object = withUpdatedConfiguration(info.object, flags["save-config"]);
    const requests = helper(await factory.client(), kindOf(info), {
      fieldManager: flags["field-manager"],
      fieldValidation: validation,
      signal,
      onWarning: (text) => factory.warn(text),
    });
    setObject(info, await requests.create(info.namespace, object));
    count++;
    print(info.object);
  });
  if (count === 0) throw new Error("no objects passed to replace");
}
