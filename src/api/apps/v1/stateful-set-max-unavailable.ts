import type { Kind } from "../../../schema/language/kind.ts";
import type { Draft } from "../../../schema/language/struct.ts";
import { StatefulSet } from "./stateful-set.ts";

/** Stateful sets where the feature MaxUnavailableStatefulSet is on: the field is kept, and 1 by default. */
export function statefulSetWithMaxUnavailable(): Kind {
  const { strategy } = StatefulSet as unknown as Kind<StatefulSet>;
  const kind: Kind<StatefulSet> = {
    ...(StatefulSet as unknown as Kind<StatefulSet>),
    strategy: {
      ...strategy,
      prepareCreate(set: StatefulSet, write) {
        const { maxUnavailable } = set.spec.updateStrategy.rollingUpdate ?? {};
        strategy.prepareCreate?.(set as never, write);
        fill(set, maxUnavailable);
      },
      prepareUpdate(set: StatefulSet, old: StatefulSet, write) {
        fill(set);
        // The field of the old one is there, so that it is kept in the new one.
        const spec = { ...old.spec, updateStrategy: { ...old.spec.updateStrategy } };
        const filled = { ...old, spec };
        fill(filled);
        strategy.prepareUpdate?.(set as never, filled as never, write);
      },
    } as Kind<StatefulSet>["strategy"],
  };
  return kind as unknown as Kind;
}

type MaxUnavailable = NonNullable<
  StatefulSet["spec"]["updateStrategy"]["rollingUpdate"]
>["maxUnavailable"];

/** Sets the field of a rolling update that has none. */
function fill(set: StatefulSet, value?: MaxUnavailable): void {
  const strategy = set.spec.updateStrategy as Draft<StatefulSet["spec"]["updateStrategy"]>;
  if (!strategy.rollingUpdate) return;
  const maxUnavailable = value ?? strategy.rollingUpdate.maxUnavailable ?? 1;
  strategy.rollingUpdate = { ...strategy.rollingUpdate, maxUnavailable };
}
