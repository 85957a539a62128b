import { formatDuration } from "../../schema/values/duration.ts";
import type { PriorityAndFairness } from "./priority-and-fairness.ts";
import type { PriorityLevel } from "./priority-level.ts";
import type { RequestDetails, SeatedRequest } from "./queue-set.ts";

type DumpPage = keyof typeof pages;

export interface DumpOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly includeRequestDetails: boolean;
}

/** The page at a path; undefined if there is none. */
export function dumpPage(
  path: string,
  fairness: Pick<PriorityAndFairness, "dump" | "seconds">,
  { now, includeRequestDetails }: DumpOptions,
): string | undefined {
  if (!path.startsWith(folder)) return undefined;
  const name = path.slice(folder.length);
  if (!isPage(name)) return undefined;
  const epoch = now - fairness.seconds * 1000;
  return alignColumns(pages[name](fairness.dump(), { epoch, includeRequestDetails }));
}

const folder = "/debug/api_priority_and_fairness/";

interface Shown {
  /** Milliseconds since the epoch at which the clock of the levels was zero. */
  readonly epoch: number;
  readonly includeRequestDetails: boolean;
}

const isPage = (name: string): name is DumpPage => Object.hasOwn(pages, name);

const pages = {
  dump_priority_levels: (levels: readonly PriorityLevel[]) => [
    levelHeaders,
    ...levels.map((level) => {
      const { queues } = level;
      const dump = queues.dump();
      const active = dump.queues.filter(({ waiting }) => waiting.length > 0).length;
      const counts = [dump.waiting, dump.executing, dump.dispatched, dump.rejected];
      // No request times out in a way that upstream counts separately.
      return [level.name, active, queues.isIdle, level.isQuiescing, ...counts, 0, dump.cancelled];
    }),
  ],
  dump_queues: (levels: readonly PriorityLevel[]) => [
    queueHeaders,
    ...levels.flatMap((level) =>
      level.queues.dump().queues.map((queue, i) => {
        const { waiting, executing, seatsInUse, nextStart, work } = queue;
        const sums = [queue.initialSeatsWaiting, queue.seatsWaiting, seatSeconds(work)];
        const counts = [waiting.length, executing.length, seatsInUse];
        return [level.name, i, ...counts, seatSeconds(nextStart), ...sums];
      }),
    ),
  ],
  dump_requests: (levels: readonly PriorityLevel[], options: Shown) => [
    [...requestHeaders, ...(options.includeRequestDetails ? detailHeaders : [])],
    ...levels.flatMap((level) => {
      const row = (queue: number, index: number, request: SeatedRequest) =>
        requestRow(level.name, [queue, index], request, options);
      const { queues, withoutQueue } = level.queues.dump();
      return [
        ...queues.flatMap(({ waiting, executing }, i) => [
          ...waiting.map((request, index) => row(i, index, request)),
          ...executing.map((request) => row(i, -1, request)),
        ]),
        ...withoutQueue.map((request) => row(-1, -1, request)),
      ];
    }),
  ],
} as const;

type Cell = string | number | boolean;

function requestRow(
  level: string,
  [queue, index]: readonly [number, number],
  request: SeatedRequest,
  { epoch, includeRequestDetails }: Shown,
): Cell[] {
  const { schema, distinguisher, arrived, started, work } = request;
  const time = (seconds: number | undefined) =>
    seconds === undefined
      ? "0001-01-01T00:00:00Z"
      : new Date(epoch + seconds * 1000).toISOString().replace(/\.?0*Z$/, "Z");
  return [
    ...[level, schema, queue, index, distinguisher, time(arrived)],
    ...[work.initialSeats, work.finalSeats, duration(work.finalSeconds), time(started)],
    ...(includeRequestDetails ? detailCells(request.details()) : []),
  ];
}

const detailCells = (details: RequestDetails): Cell[] => [
  ...[details.user, details.verb, details.path, details.namespace, details.name],
  ...[details.apiVersion, details.resource, details.subresource],
];

const levelHeaders: readonly Cell[] = [
  ...["PriorityLevelName", "ActiveQueues", "IsIdle", "IsQuiescing", "WaitingRequests"],
  ...["ExecutingRequests", "DispatchedRequests", "RejectedRequests", "TimedoutRequests"],
  "CancelledRequests",
];
const queueHeaders: readonly Cell[] = [
  ...["PriorityLevelName", "Index", "PendingRequests", "ExecutingRequests", "SeatsInUse"],
  ...["NextDispatchR", "InitialSeatsSum", "MaxSeatsSum", "TotalWorkSum"],
];
const requestHeaders: readonly Cell[] = [
  ...["PriorityLevelName", "FlowSchemaName", "QueueIndex", "RequestIndexInQueue"],
  ...["FlowDistingsher", "ArriveTime", "InitialSeats", "FinalSeats", "AdditionalLatency"],
  "StartTime",
];
const detailHeaders: readonly Cell[] = [
  ...["UserName", "Verb", "APIPath", "Namespace", "Name", "APIVersion", "Resource", "SubResource"],
];

/** Cells end in a comma; all but the last of a row are padded to the width of their column. */
function alignColumns(rows: readonly (readonly Cell[])[]): string {
  const texts = rows.map((row) =>
    row.map((cell, i) => (i < row.length - 1 ? `${cell},` : `${cell}`)),
  );
  const widths: number[] = [];
  for (const row of texts)
    for (const [i, text] of row.slice(0, -1).entries())
      widths[i] = Math.max(widths[i] ?? 8, text.length + 1);
  const line = (row: readonly string[]) =>
    row.map((text, i) => (i < row.length - 1 ? text.padEnd(widths[i] as number) : text)).join("");
  return texts.map((row) => `${line(row)}\n`).join("");
}

/** Seat-seconds as upstream writes them. */
const seatSeconds = (value: number): string => `${value.toFixed(8)}ss`;

const duration = (seconds: number): string => formatDuration(BigInt(Math.round(seconds * 1e9)));
