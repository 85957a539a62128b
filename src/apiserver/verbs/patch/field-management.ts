import { managedFieldsAfter, type Writer } from "../../../schema/apply/field-manager.ts";
import { type FieldSet, setOf } from "../../../schema/apply/field-set.ts";
import { fieldElement, type Path } from "../../../schema/apply/path-element.ts";
import { problemsOf } from "../../../schema/apply/problems-of.ts";
import { problemText } from "../../../schema/apply/typed.ts";
import { type FieldFilter, VersionError, type Versions } from "../../../schema/apply/updater.ts";
import { isMap, type ReadonlyJsonMap as JsonMap } from "../../../schema/json/json-value.ts";
import { apiVersionOf } from "../../../schema/language/kind.ts";
import type { Shape } from "../../../schema/language/shape.ts";
import { type Environment, now } from "../../objects/environment.ts";
import { type AnyKind, type ApiObject, canonical, type ObjectDraft } from "../../objects/object.ts";
import type { RequestContext } from "../../objects/request-context.ts";
import type { Resources } from "../../objects/resources.ts";
import { storedKind } from "../../objects/stored.ts";
import { AwaitedConversions } from "./awaited-conversions.ts";

/** The target of a write: an object of a kind, or one of its subresources. */
export interface Target {
  readonly kind: AnyKind;
  readonly subresource: string;
}

/** The parts of the server that field management uses: the versions of kinds, and the time. */
export interface FieldTracking {
  readonly resources: Resources;
  readonly environment: Pick<Environment, "clock">;
}

/** Updates the managedFields of an object that is written, before admission. */
export function trackFields(
  tracking: FieldTracking,
  target: Target,
  {
    draft,
    old,
    context,
    conversions,
  }: {
    readonly draft: ObjectDraft;
    readonly old: ApiObject | undefined;
    context: RequestContext;
    /** Where a webhook converts between versions. */
    readonly conversions?: AwaitedConversions | undefined;
  },
): void {
  const { metadata } = draft;
  const given = metadata.managedFields;
  delete metadata.managedFields;
  const next = comparable(target.kind, draft);
  try {
    const managed = managedFieldsAfter(fieldWriter(tracking, target, { ...context, conversions }), {
      live: old as JsonMap | undefined,
      next,
      given,
    });
    if (managed.length > 0) metadata.managedFields = managed as typeof given;
  } catch (error) {
    if (AwaitedConversions.isAwaited(error) && given) metadata.managedFields = given;
    // As upstream: if a webhook fails, nobody owns a field.
    if (AwaitedConversions.isAwaited(error) || !conversions) throw error;
  }
}

/** An object as field management compares it: read by its kind, and converted to the stored version and back. */
function comparable({ form, strategy, conversion }: AnyKind, draft: ObjectDraft): JsonMap {
  strategy.afterDecode?.(draft as never);
  if (!conversion) return form.inMemory(draft) as JsonMap;
  return form.inMemory(
    conversion.fromStored(conversion.toStored(draft as never) as never),
  ) as JsonMap;
}

interface FieldWriting extends Pick<RequestContext, "fieldManager"> {
  readonly conversions?: AwaitedConversions | undefined;
}

/** The field manager of a write, with the schema by which it compares objects. */
export function fieldWriter(
  tracking: FieldTracking,
  { kind, subresource }: Target,
  { fieldManager, conversions }: FieldWriting,
): Writer {
  const filter = filterFor(kind, subresource);
  return {
    versions: versionsOf(tracking.resources, kind, conversions),
    version: apiVersionOf(kind),
    filterOf: () => filter,
    manager: fieldManager,
    subresource,
    now: now(tracking.environment),
    nothing: nothingOf(kind),
    mayMisfit: kind.form.mustNameKind,
  };
}

const nothings = new WeakMap<AnyKind, JsonMap>();

/** An object of a kind without any fields. */
function nothingOf(kind: AnyKind): JsonMap {
  let nothing = nothings.get(kind);
  if (!nothing) {
    const bare = { kind: kind.kind, apiVersion: apiVersionOf(kind), metadata: {} };
    nothing = canonical(kind, bare) as unknown as JsonMap;
    nothings.set(kind, nothing);
  }
  return nothing;
}

/** The served versions of objects that are stored as the same kind. */
function versionsOf(
  resources: Resources,
  kind: AnyKind,
  conversions: AwaitedConversions | undefined,
): Versions {
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
      if (kind.converter && conversions) {
        const here = conversions.convert(object, apiVersionOf(kind)) as JsonMap;
        return conversions.convert(here, to);
      }
      // Without a webhook, the versions of a custom resource differ in apiVersion only.
      if (kind.versions) return inShape({ ...object, apiVersion: to }, target.form.shape);
      const whole = canonical(source, object);
      const stored = source.conversion?.toStored(whole as never) ?? whole;
      const converted = target.conversion?.fromStored(stored as never) ?? stored;
      return canonical(target, converted);
    },
  };
}

/** A custom object as a version has it; throws VersionError if that version lacks some of its fields. */
function inShape(object: JsonMap, shape: Shape | undefined): JsonMap {
  const problems = shape ? problemsOf(shape, object, { allowDuplicates: true }) : [];
  if (problems.length > 0) throw new VersionError(problemText(problems));
  return object;
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

const resetBy = ({ strategy }: AnyKind, subresource: string): FieldSet =>
  setOf((strategy.resets?.[subresource] ?? []).map(pathOf));

const pathOf = (text: string): Path =>
  text.split(".").map((step) => (step === "*" ? step : fieldElement(step)));

const maxManagerBytes = 128;

/** The field manager of a client that names none: the beginning of its user agent. */
export function defaultManager(userAgent: string): string {
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
