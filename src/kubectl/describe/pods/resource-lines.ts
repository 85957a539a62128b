import type { ResourceRequirements } from "../../../api/core/v1/container/resource-requirements.ts";
import type { Description } from "../description.ts";
import { amountLines } from "../quantities.ts";

/** The limits and requests of a container or pod. */
export function resourceLines(
  d: Description,
  resources: Partial<Pick<ResourceRequirements, "limits" | "requests">> | undefined,
  level: number,
): void {
  const { limits = {}, requests = {} } = resources ?? {};
  if (Object.keys(limits).length > 0) d.line("Limits:", level);
  amountLines(d, limits, level + 1);
  if (Object.keys(requests).length > 0) d.line("Requests:", level);
  amountLines(d, requests, level + 1);
}
