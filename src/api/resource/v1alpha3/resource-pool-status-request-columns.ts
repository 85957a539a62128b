import type { Column } from "../../../schema/language/kind.ts";
import { since } from "../../meta/v1/columns.ts";
import type { Condition } from "../../meta/v1/condition.ts";
import type {
  PoolStatus,
  ResourcePoolStatusRequestSpec,
  ResourcePoolStatusRequestStatus,
} from "./resource-pool-status-request-spec.ts";

interface Request {
  readonly spec: ResourcePoolStatusRequestSpec;
  readonly status?: ResourcePoolStatusRequestStatus | undefined;
}

type Count = "totalDevices" | "availableDevices" | "allocatedDevices" | "unavailableDevices";

/** A sum over all pools; a dash where there is no answer, or none that counts. */
function sumOf({ status }: Request, amountOf: (pool: PoolStatus) => number | undefined): string {
  if (!status || outcomeOf(status)?.type === "Failed") return "-";
  return `${(status.pools ?? []).reduce((sum, pool) => sum + (amountOf(pool) ?? 0), 0)}`;
}

/** The first condition that tells how it went. */
const outcomeOf = ({ conditions = [] }: ResourcePoolStatusRequestStatus): Condition | undefined =>
  conditions.find(
    ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
  );

function progressOf({ status }: Request): string {
  const outcome = status && outcomeOf(status);
  if (!status || !outcome) return "Pending";
  const { poolCount = 0, pools = [] } = status;
  const isCut = outcome.type === "Complete" && poolCount > pools.length;
  return isCut ? `Complete (${pools.length}/${poolCount} pools)` : outcome.type;
}

const countColumn = (name: string, description: string, field: Count): Column<Request> => ({
  name,
  type: "string",
  description,
  cell: (request) => sumOf(request, (pool) => pool[field]),
});

/** What a table tells of the answer, after the name. */
export const poolColumns: readonly Column<Request>[] = [
  {
    name: "Driver",
    type: "string",
    description: "The driver to query pools for.",
    cell: ({ spec }) => spec.driver,
  },
  countColumn("Total", "Total number of devices across all pools.", "totalDevices"),
  countColumn("Available", "Number of available devices across all pools.", "availableDevices"),
  countColumn("Allocated", "Number of allocated devices across all pools.", "allocatedDevices"),
  countColumn(
    "Unavailable",
    "Number of unavailable devices across all pools.",
    "unavailableDevices",
  ),
  {
    name: "Errors",
    type: "string",
    description: "Number of pools with validation errors.",
    cell: (request) =>
      sumOf(request, ({ validationError }) => (validationError === undefined ? 0 : 1)),
  },
  {
    name: "Pools",
    type: "integer",
    description: "Total number of matching pools.",
    cell: ({ status }) => status?.poolCount ?? 0,
  },
  { name: "Status", type: "string", description: "Processing status.", cell: progressOf },
  {
    name: "Completed",
    type: "string",
    description: "Time since the observation completed.",
    cell({ status }, { now }) {
      const outcome = status && outcomeOf(status);
      return outcome?.type === "Complete" ? since(outcome.lastTransitionTime, now) : "<none>";
    },
  },
];
