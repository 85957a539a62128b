import { isHugePageResource } from "../../../api/core/v1/resource-name.ts";
import { parseQuantity, quantityValue } from "../../../schema/values/quantity.ts";

/** A limit of huge pages of one size, named as the kernel names it, such as `2MB`. */
export interface HugePageLimit {
  readonly pageSize: string;
  readonly limit: number;
}

/**
 * The limits of huge pages for the sizes that a node knows; later lists count more than earlier ones. What no
 * list has is limited to nothing.
 */
export function hugePageLimits(
  sizes: readonly string[],
  ...lists: readonly (Readonly<Record<string, string>> | undefined)[]
): readonly HugePageLimit[] {
  const wanted = new Map<string, number>();
  for (const list of lists)
    for (const [name, amount] of Object.entries(list ?? {})) {
      const size = isHugePageResource(name) ? kernelSize(name) : undefined;
      if (size !== undefined) wanted.set(size, quantityValue(parseQuantity(amount)));
    }
  return sizes.map((pageSize) => ({ pageSize, limit: wanted.get(pageSize) ?? 0 }));
}

/** The kernel's name of the page size of a resource; undefined if it cannot be a page's. */
function kernelSize(resource: string): string | undefined {
  let size: number;
  try {
    size = quantityValue(parseQuantity(resource.slice("hugepages-".length)));
  } catch {
    return undefined;
  }
  let unit = 0;
  for (; size % 1024 === 0 && unit < units.length - 1; unit++) size /= 1024;
  return size > 1024 ? undefined : `${size}${units[unit]}`;
}

const units = ["B", "KB", "MB", "GB", "TB", "PB"];
