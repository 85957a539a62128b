import type { NamespaceCondition } from "../../api/core/v1/namespace.ts";
import type { Clock } from "../../base/clock.ts";
import { type NewCondition, withCondition } from "../../controller-runtime/objects/conditions.ts";

/** The progress of the deletion of a namespace's content. */
export interface DeletionReport {
  /** Why discovery is incomplete. */
  readonly discovery?: string | undefined;
  /** Why the result of discovery is not valid. */
  readonly groupVersions?: string | undefined;
  /** Why content could not be deleted. */
  readonly content: readonly string[];
  /** How many objects are left, by `RESOURCE.GROUP`; only where there are any. */
  readonly remaining: ReadonlyMap<string, number>;
  /** How many of them have a finalizer, by its name. */
  readonly finalizers: ReadonlyMap<string, number>;
}

/** The conditions with those of the deletion; the same list if nothing changed. */
export function deletionConditions(
  conditions: readonly NamespaceCondition[] | undefined,
  report: DeletionReport,
  clock: Pick<Clock, "now">,
): readonly NamespaceCondition[] {
  const found = faults(report);
  let all = conditions ?? [];
  for (const [type, [reason, message]] of Object.entries(well)) {
    const fault = found[type as keyof typeof well];
    const condition: NewCondition<NamespaceCondition> = fault
      ? { type, status: "True", reason: fault[0], message: fault[1] }
      : { type, status: "False", reason, message };
    all = withCondition(all, condition, clock);
  }
  return all;
}

type Said = readonly [reason: string, message: string];

/** The conditions without errors, in the order in which they are written. */
const well = {
  NamespaceDeletionDiscoveryFailure: [
    "ResourcesDiscovered",
    "All resources successfully discovered",
  ],
  NamespaceDeletionGroupVersionParsingFailure: [
    "ParsedGroupVersions",
    "All legacy kube types successfully parsed",
  ],
  NamespaceDeletionContentFailure: [
    "ContentDeleted",
    "All content successfully deleted, may be waiting on finalization",
  ],
  NamespaceContentRemaining: ["ContentRemoved", "All content successfully removed"],
  NamespaceFinalizersRemaining: [
    "ContentHasNoFinalizers",
    "All content-preserving finalizers finished",
  ],
} satisfies Record<string, Said>;

function faults(report: DeletionReport): { [type in keyof typeof well]?: Said | undefined } {
  const { discovery, groupVersions, content, remaining, finalizers } = report;
  return {
    NamespaceDeletionDiscoveryFailure: discovery ? ["DiscoveryFailed", discovery] : undefined,
    NamespaceDeletionGroupVersionParsingFailure: groupVersions
      ? ["GroupVersionParsingFailed", groupVersions]
      : undefined,
    NamespaceDeletionContentFailure:
      content.length > 0
        ? [
            "ContentDeletionFailed",
            `Failed to delete all resource types, ${content.length} remaining: ${content.toSorted().join(", ")}`,
          ]
        : undefined,
    NamespaceContentRemaining:
      remaining.size > 0
        ? [
            "SomeResourcesRemain",
            `Some resources are remaining: ${counts(remaining, "has")} resource instances`,
          ]
        : undefined,
    NamespaceFinalizersRemaining:
      finalizers.size > 0
        ? [
            "SomeFinalizersRemain",
            `Some content in the namespace has finalizers remaining: ${counts(finalizers, "in")} resource instances`,
          ]
        : undefined,
  };
}

/** `a has 1 resource instances, b has 2`, in order. */
const counts = (map: ReadonlyMap<string, number>, verb: string): string =>
  [...map]
    .map(([name, count]) => `${name} ${verb} ${count}`)
    .sort()
    .join(" resource instances, ");
