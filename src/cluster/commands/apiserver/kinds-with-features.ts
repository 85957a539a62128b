import { StatefulSet } from "../../../api/apps/v1/stateful-set.ts";
import { statefulSetWithMaxUnavailable } from "../../../api/apps/v1/stateful-set-max-unavailable.ts";
import { kinds } from "../../../api/kinds.generated.ts";
import type { Kind } from "../../../schema/language/kind.ts";

/** All declared kinds, as they are while features are on that are off by default. */
export function kindsWith(features: ReadonlySet<string>): readonly Kind[] {
  const all: readonly Kind[] = kinds;
  if (!features.has("MaxUnavailableStatefulSet")) return all;
  const changed = statefulSetWithMaxUnavailable();
  return all.map((one) => (one === (StatefulSet as unknown) ? changed : one));
}
