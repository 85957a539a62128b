import { ConfigMap, Namespace } from "wherry/api";
import { formatKey, keyOf, type ObjectKey, parseKey, StatusError } from "wherry/client";
import {
  addFinalizer,
  controller,
  hasFinalizer,
  type ReconcileContext,
  removeFinalizer,
} from "wherry/controller";

/** On a ConfigMap: the namespaces that get a copy, separated by commas; `*` for all. */
export const copyTo = "example.com/copy-to";
/** On a copy: its source, as `NAMESPACE/NAME`. */
export const copyOf = "example.com/copy-of";
/** Keeps a ConfigMap until its copies are deleted: owner references cannot cross namespaces. */
export const finalizer = "example.com/copies";

const fieldManager = "copied-config";

/**
 * Copies ConfigMaps into other namespaces and keeps the copies in sync: updated with their source,
 * created again when a user deletes one, deleted when they are no longer wanted.
 */
export const copiedConfig = controller({
  name: "copied-config",
  for: ConfigMap,
  predicates: [({ object }) => isSource(object)],
  watches: [
    // A change of a copy enqueues its source.
    { kind: ConfigMap, map: (object) => sourceOf(object) },
    // A new namespace enqueues all sources: any of them may want a copy there.
    {
      kind: Namespace,
      map: async (_, { cache }) => (await cache.list(ConfigMap)).filter(isSource).map(keyOf),
    },
  ],
  concurrency: 4,

  async reconcile(key, ctx) {
    const source = await ctx.cache.get(ConfigMap, key);
    if (!source) return;
    const copies = await copiesOf(key, ctx);
    const isGoing = source.metadata.deletionTimestamp !== undefined;
    const wanted = isGoing ? [] : await wantedNamespaces(source, ctx);

    if (wanted.length > 0 && !hasFinalizer(source, finalizer))
      await addFinalizer({ ...ctx, kind: ConfigMap }, source, finalizer);
    for (const namespace of wanted) await copy(source, namespace, ctx);
    for (const unwanted of copies)
      if (!wanted.includes(unwanted.metadata.namespace ?? "")) await remove(unwanted, ctx);
    if (wanted.length === 0 && hasFinalizer(source, finalizer))
      await removeFinalizer({ ...ctx, kind: ConfigMap }, source, finalizer);
  },
});

/** Whether a ConfigMap is to be copied, or still has the finalizer of its copies. */
const isSource = (object: ConfigMap): boolean =>
  object.metadata.annotations?.[copyTo] !== undefined || hasFinalizer(object, finalizer);

function sourceOf({ metadata }: ConfigMap): ObjectKey[] {
  const text = metadata.annotations?.[copyOf];
  return text === undefined ? [] : [parseKey(text)];
}

async function copiesOf(source: ObjectKey, { cache }: ReconcileContext): Promise<ConfigMap[]> {
  const all = await cache.list(ConfigMap);
  return all.filter(({ metadata }) => metadata.annotations?.[copyOf] === formatKey(source));
}

/** The existing namespaces in a source's annotation, without its own. */
async function wantedNamespaces(source: ConfigMap, { cache }: ReconcileContext): Promise<string[]> {
  const named = (source.metadata.annotations?.[copyTo] ?? "").split(",").map((name) => name.trim());
  const namespaces = await cache.list(Namespace);
  return namespaces
    .filter(({ metadata, status }) => !metadata.deletionTimestamp && status.phase !== "Terminating")
    .map(({ metadata }) => metadata.name ?? "")
    .filter((name) => named.includes("*") || named.includes(name))
    .filter((name) => name !== source.metadata.namespace);
}

/** Creates or updates a copy; a ConfigMap of another owner is left alone. */
async function copy(source: ConfigMap, namespace: string, ctx: ReconcileContext): Promise<void> {
  const { name = "" } = source.metadata;
  const there = await ctx.cache.get(ConfigMap, { namespace, name });
  const from = formatKey(keyOf(source));
  if (there && there.metadata.annotations?.[copyOf] !== from) {
    const note = `ConfigMap ${namespace}/${name} is not a copy of this one, and stays as it is`;
    ctx.events.record(source, { type: "Warning", reason: "NotCopied", note });
    return;
  }
  const { data, binaryData, immutable } = source;
  const metadata = { name, namespace, annotations: { [copyOf]: from } };
  if (there && isSame(there, source)) return;
  // An immutable ConfigMap can only be deleted and created again.
  if (there?.immutable) await remove(there, ctx);
  await ctx.client.apply(
    ConfigMap,
    { metadata, data, binaryData, immutable },
    { fieldManager, force: true },
  );
  if (!there) {
    const note = `Copied to namespace ${namespace}`;
    ctx.events.record(source, { type: "Normal", reason: "Copied", note });
  }
}

async function remove(object: ConfigMap, { client }: ReconcileContext): Promise<void> {
  const { uid } = object.metadata;
  try {
    await client.delete(ConfigMap, keyOf(object), { preconditions: { uid } });
  } catch (error) {
    // The copy is already deleted, or replaced by another ConfigMap.
    if (!StatusError.is(error, "NotFound", "Conflict")) throw error;
  }
}

const isSame = (a: ConfigMap, b: ConfigMap): boolean => contentOf(a) === contentOf(b);

const contentOf = ({ data = {}, binaryData = {}, immutable = false }: ConfigMap): string =>
  JSON.stringify([Object.entries(data).sort(), Object.entries(binaryData).sort(), immutable]);
