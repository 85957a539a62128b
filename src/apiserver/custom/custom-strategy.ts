import { standardStrategy } from "../../api/meta/v1/standard-strategy.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import type { Strategy } from "../../schema/language/kind.ts";
import { isQualifiedName } from "../../schema/values/names.ts";
import { quote } from "../../schema/values/quote.ts";
import type { ObjectDraft } from "../objects/object.ts";
import type { CustomState } from "./custom-kinds.ts";

/** The strategy of custom objects: what creates and updates do with them. */
export function customStrategy({
  hasStatus,
  state,
}: {
  /** Whether the status is written through its subresource only. */
  readonly hasStatus: boolean;
  readonly state: CustomState;
}): Strategy<never> {
  const strategy = standardStrategy<ObjectDraft>({
    conditionalUpdateOnly: true,
    ...(hasStatus && { initialStatus: () => undefined, statusKeeps: ["metadata"] }),
    generation: sameBody,
    prepareStatus: keepAllButStatus,
    warnings: (object, old) => finalizerWarnings(object, old),
    createRefusal: () =>
      state.isTerminating()
        ? "create not allowed while custom resource definition is terminating"
        : undefined,
  });
  return strategy as Strategy<never>;
}

function sameBody(a: unknown, b: unknown): boolean {
  const withoutMetadata = ({ metadata: _, ...rest }: ObjectDraft): object => rest;
  return sameJson(withoutMetadata(a as ObjectDraft), withoutMetadata(b as ObjectDraft));
}

/** An update of the status changes nothing else but managedFields. */
function keepAllButStatus(object: ObjectDraft, old: ObjectDraft): void {
  const { managedFields } = object.metadata;
  const { status } = object;
  const hadStatus = Object.hasOwn(object, "status");
  for (const name of Object.keys(object)) delete object[name as keyof ObjectDraft];
  Object.assign(object, structuredClone(old));
  object.metadata.managedFields = managedFields;
  if (hadStatus) object.status = status;
  else delete object.status;
}

const standardFinalizers = new Set(["orphan", "foregroundDeletion", "kubernetes"]);
const path = "metadata.finalizers";

function finalizerWarnings({ metadata }: ObjectDraft, old: ObjectDraft | undefined): string[] {
  const before = old?.metadata.finalizers ?? [];
  const added = (metadata.finalizers ?? []).filter((name) => !before.includes(name));
  return [...new Set(added)]
    .sort()
    .flatMap((name) => [
      ...isQualifiedName(name).map((fault) => `${path}: ${quote(name)}: ${fault}`),
      ...(name.includes("/") || standardFinalizers.has(name) ? [] : [preferDomain(name)]),
    ]);
}

function preferDomain(name: string): string {
  const how = name.includes(".") ? " including a path (/)" : "";
  return `${path}: ${quote(name)}: prefer a domain-qualified finalizer name${how} to avoid accidental conflicts with other finalizer writers`;
}
