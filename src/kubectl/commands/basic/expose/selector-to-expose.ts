import type { DynamicObject } from "../../../../client/resource-kind.ts";
import { labelSpec } from "../../shared/label-spec.ts";
import { goType } from "../../shared/pods/workload-pods.ts";

type Labels = Readonly<Record<string, string>>;

/** The labels of the pods behind an object, as `KEY=VALUE,KEY=VALUE`; throws if a service cannot select them. */
export function selectorToExpose(object: DynamicObject): string {
  try {
    return labelSpec(labelsOf(object));
  } catch (error) {
    const why = (error as Error).message;
    throw new Error(`couldn't retrieve selectors via --selector flag or introspection: ${why}`, {
      cause: error,
    });
  }
}

function labelsOf(object: DynamicObject): Labels {
  const { selector } = (object.spec ?? {}) as { readonly selector?: unknown };
  switch (object.kind) {
    case "ReplicationController":
      return (selector ?? {}) as Labels;
    case "Pod": {
      const labels = object.metadata.labels ?? {};
      if (Object.keys(labels).length === 0)
        throw new Error("the pod has no labels and cannot be exposed");
      return labels;
    }
    case "Service":
      if (!selector) throw new Error("the service has no pod selector set");
      return selector as Labels;
    case "Deployment":
    case "ReplicaSet":
      return matchLabels(object.kind.toLowerCase(), (selector ?? {}) as LabelSelector);
    default:
      throw new Error(`cannot extract pod selector from ${goType(object)}`);
  }
}

/** As manifests have it: members may be null. */
interface LabelSelector {
  readonly matchLabels?: Labels | null;
  readonly matchExpressions?:
    | readonly {
        readonly key?: string;
        readonly operator?: string;
        readonly values?: readonly string[] | null;
      }[]
    | null;
}

function matchLabels(kind: string, selector: LabelSelector): Labels {
  const { matchExpressions } = selector;
  const matchLabels = selector.matchLabels ?? {};
  if (Object.keys(matchLabels).length === 0)
    throw new Error(`invalid ${kind}: no selectors, therefore cannot be exposed`);
  if (!matchExpressions || matchExpressions.length === 0) return matchLabels;
  const texts = matchExpressions.map(
    ({ key = "", operator = "", values }) =>
      `{Key:${key} Operator:${operator} Values:[${(values ?? []).join(" ")}]}`,
  );
  throw new Error(
    `couldn't convert expressions - "[${texts.join(" ")}]" to map-based selector format`,
  );
}
