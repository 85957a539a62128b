import { managedFieldsAfter, type Writer } from "../../../schema/apply/field-manager.ts";
import { type FieldSet, setOf } from "../../../schema/apply/field-set.ts";
import { fieldElement, type Path } from "../../../schema/apply/path-element.ts";
import type { FieldFilter, Versions } from "../../../schema/apply/updater.ts";
import { isMap, type ReadonlyJsonMap as JsonMap } from "../../../schema/json/json-value.ts";
import { apiVersionOf } from "../../../schema/language/kind.ts";
import type { AnyKind, ApiObject, ObjectDraft } from "../../objects/object.ts";
import { canonical, now, type Registry, type RequestContext } from "../../objects/registry.ts";
import type { Resources } from "../../objects/resources.ts";
import { storedKind } from "../../objects/stored.ts";

/** What is written: an object of a kind, or a part of it through a subresource. */
export interface Target {
  readonly kind: AnyKind;
  readonly subresource: string;
}

/** Notes in an object, before it is admitted, who owns what a write has changed. */
export function trackFields(
  registry: Registry,
  target: Target,
  {
    draft,
    old,
    context,
  }: { readonly draft: ObjectDraft; readonly old: ApiObject | undefined; context: RequestContext },
): void {
  const { metadata } = draft;
  const given = metadata.managedFields;
  delete metadata.managedFields;
  const next = asTaken(target.kind, draft);
  const managed = managedFieldsAfter(writerOf(registry, target, context), {
    live: old as JsonMap | undefined,
    next,
    given,
  });
  if (managed.length > 0) metadata.managedFields = managed as typeof given;
}

/** An object as it is when its kind has taken it in, on the way to how it is stored. */
function asTaken({ form, strategy, conversion }: AnyKind, draft: ObjectDraft): JsonMap {
  strategy.takeIn?.(draft as never);
  if (!conversion) return form.inMemory(draft) as JsonMap;
  return form.inMemory(
    conversion.fromStored(conversion.toStored(draft as never) as never),
  ) as JsonMap;
}

/** Who writes, and how objects of the kind are looked at. */
export function writerOf(
  registry: Registry,
  { kind, subresource }: Target,
  { fieldManager }: Pick<RequestContext, "fieldManager">,
): Writer {
  const filter = filterFor(kind, subresource);
  return {
    versions: versionsOf(registry.resources, kind),
    version: apiVersionOf(kind),
    filterOf: () => filter,
    manager: fieldManager,
    subresource,
    now: now(registry),
    nothing: nothingOf(kind),
  };
}

const nothings = new WeakMap<AnyKind, JsonMap>();

/** An object of a kind of which nothing is known yet. */
function nothingOf(kind: AnyKind): JsonMap {
  let nothing = nothings.get(kind);
  if (!nothing) {
    const bare = { kind: kind.kind, apiVersion: apiVersionOf(kind), metadata: {} };
    nothing = canonical(kind, bare) as unknown as JsonMap;
    nothings.set(kind, nothing);
  }
  return nothing;
}

/** The versions in which objects that are stored alike are served. */
function versionsOf(resources: Resources, kind: AnyKind): Versions {
  const at = (version: string): AnyKind | undefined => {
    if (version === apiVersionOf(kind)) return kind;
    if (kind.versions) return kind.versions.get(version) as AnyKind | undefined;
    const found = resources.findVersion(version, kind.kind);
    return found && storedKind(found) === storedKind(kind) ? found : undefined;
  };
  return {
    shapeOf(version) {
      const found = at(version);
      return found?.form.shape;
    },
    convert(object, from, to) {
      const [source, target] = [at(from), at(to)];
      if (from === to || !source || !target || !isMap(object)) return object;
      // Versions that are known by schemas differ in what they say they are.
      if (kind.versions) return { ...object, apiVersion: to };
      const whole = canonical(source, object);
      const stored = source.conversion?.toStored(whole as never) ?? whole;
      const converted = target.conversion?.fromStored(stored as never) ?? stored;
      return canonical(target, converted);
    },
  };
}

const filters = new WeakMap<AnyKind, Map<string, FieldFilter>>();

function filterFor(kind: AnyKind, subresource: string): FieldFilter {
  let known = filters.get(kind);
  if (!known) {
    known = new Map();
    filters.set(kind, known);
  }
  let filter = known.get(subresource);
  if (!filter) {
    const along = kind.strategy.changes?.[subresource]?.map(pathOf);
    filter = along ? { along } : { except: resetBy(kind, subresource) };
    known.set(subresource, filter);
  }
  return filter;
}

function resetBy({ strategy, subresources }: AnyKind, subresource: string): FieldSet {
  const usual: Readonly<Record<string, readonly string[]>> = subresources.includes("status")
    ? { "": ["status"], status: ["spec"] }
    : {};
  const paths = strategy.resets?.[subresource] ?? usual[subresource] ?? [];
  return setOf(paths.map(pathOf));
}

const pathOf = (text: string): Path =>
  text.split(".").map((step) => (step === "*" ? step : fieldElement(step)));

const maxManagerBytes = 128;

/** Who a client is that does not say: what its user agent begins with. */
export function managerOf(userAgent: string): string {
  const [name = ""] = userAgent.split("/", 1);
  if (/^[ -~]{0,128}$/.test(name)) return name;
  const printable = name.match(/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu) ?? [];
  let manager = "";
  let bytes = 0;
  for (const letter of printable) {
    bytes += new TextEncoder().encode(letter).length;
    if (bytes > maxManagerBytes) break;
    manager += letter;
  }
  return manager;
}
