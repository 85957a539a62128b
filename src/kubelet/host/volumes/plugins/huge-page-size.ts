import type { Pod } from "../../../../api/core/v1/pod/pod.ts";
import { compareQuantities, parseQuantity } from "../../../../schema/values/quantity.ts";

/** The size of the pages of a volume: that of its medium, or the only one that the pod requests. */
export function hugePageSize(medium: string, { spec }: Pod): string {
  if (medium !== "HugePages" && !medium.startsWith("HugePages-"))
    throw new Error(`unknown storage medium "${medium}"`);
  const wanted = medium.slice("HugePages-".length);
  const lists = [...(spec.containers ?? []), ...(spec.initContainers ?? []), spec].map(
    ({ resources }) => resources?.requests ?? {},
  );
  let found: string | undefined;
  for (const name of lists.flatMap((list) => Object.keys(list))) {
    if (!name.startsWith("hugepages-")) continue;
    const size = name.slice("hugepages-".length);
    if (wanted !== "" && !isSameSize(size, wanted)) continue;
    if (found !== undefined && !isSameSize(size, found))
      throw new Error(
        `medium: ${medium} can't be used if container requests multiple huge page sizes`,
      );
    found = size;
  }
  if (found === undefined)
    throw new Error(
      `medium ${medium}: hugePages storage requested, but there is no resource request for huge pages`,
    );
  return found;
}

const isSameSize = (a: string, b: string): boolean =>
  compareQuantities(parseQuantity(a), parseQuantity(b)) === 0;
