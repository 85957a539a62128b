import type { Column } from "../../../../schema/language/kind.ts";
import { nameColumn, since } from "../../../meta/v1/columns.ts";
import type { ObjectMeta } from "../../../meta/v1/object-meta.ts";
import type { ObjectReference } from "../object-reference.ts";

/** What the table of events shows of one. */
interface PrintedEvent {
  readonly metadata: ObjectMeta;
  readonly involvedObject: ObjectReference;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly type?: string | undefined;
  readonly count?: number | undefined;
  readonly source: { readonly component?: string | undefined; readonly host?: string | undefined };
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  readonly eventTime: string;
  readonly series?: Series | undefined;
  readonly reportingComponent: string;
  readonly reportingInstance: string;
}
interface Series {
  readonly count?: number | undefined;
  readonly lastObservedTime: string;
}

export const eventColumns: readonly Column<PrintedEvent>[] = [
  {
    name: "Last Seen",
    type: "string",
    description: "The time at which the most recent occurrence of this event was recorded.",
    cell: (event, { now }) => since(lastSeen(event), now),
  },
  {
    name: "Type",
    type: "string",
    description: "Type of this event (Normal, Warning), new types could be added in the future",
    cell: ({ type }) => type ?? "",
  },
  {
    name: "Reason",
    type: "string",
    description:
      "This should be a short, machine understandable string that gives the reason for the transition into the object's current status.",
    cell: ({ reason }) => reason ?? "",
  },
  {
    name: "Object",
    type: "string",
    description: "The object that this event is about.",
    cell: ({ involvedObject: { kind = "", name } }) =>
      name ? `${kind.toLowerCase()}/${name}` : kind.toLowerCase(),
  },
  {
    name: "Subobject",
    type: "string",
    wide: true,
    description:
      'If referring to a piece of an object instead of an entire object, this string should contain a valid JSON/Go field access statement, such as desiredState.manifest.containers[2]. For example, if the object reference is to a container within a pod, this would take on a value like: "spec.containers{name}" (where "name" refers to the name of the container that triggered the event) or if no container name is specified "spec.containers[2]" (container with index 2 in this pod). This syntax is chosen only to have some well-defined way of referencing a part of an object.',
    cell: ({ involvedObject }) => involvedObject.fieldPath ?? "",
  },
  {
    name: "Source",
    type: "string",
    wide: true,
    description:
      "The component reporting this event. Should be a short machine understandable string.",
    cell({ source, reportingComponent, reportingInstance }) {
      const component = source.component || reportingComponent;
      const instance = source.host || reportingInstance;
      return instance ? `${component}, ${instance}` : component;
    },
  },
  {
    name: "Message",
    type: "string",
    description: "A human-readable description of the status of this operation.",
    cell: ({ message }) => (message ?? "").trim(),
  },
  {
    name: "First Seen",
    type: "string",
    wide: true,
    description:
      "The time at which the event was first recorded. (Time of server receipt is in TypeMeta.)",
    cell: (event, { now }) => since(firstSeen(event), now),
  },
  {
    name: "Count",
    type: "string",
    wide: true,
    description: "The number of times this event has occurred.",
    cell: ({ series, count }) => (series ? (series.count ?? 0) : count || 1),
  },
  { ...nameColumn, wide: true },
];

const firstSeen = (event: PrintedEvent): string => event.firstTimestamp || event.eventTime;
const lastSeen = (event: PrintedEvent): string =>
  event.series ? event.series.lastObservedTime : event.lastTimestamp || firstSeen(event);
