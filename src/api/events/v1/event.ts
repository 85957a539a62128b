import { int32, message, microTime, string, time, value } from "../../../schema/language/field.ts";
import type { Column } from "../../../schema/language/kind.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { nameIsDnsSubdomain } from "../../../schema/values/names.ts";
import { Event as CoreEventKind, EventSource } from "../../core/v1/event/event.ts";
import { eventColumns } from "../../core/v1/event/event-columns.ts";
import { validateNewEvent, validateNewEventUpdate } from "../../core/v1/event/event-validation.ts";
import { ObjectReference } from "../../core/v1/object-reference.ts";
import { kind, type ObjectOf, type ObjectValue } from "../../meta/v1/kind.ts";

export const EventSeries = struct("io.k8s.api.events.v1.EventSeries", {
  count: int32(1).always().expected().doc("How often it has happened by now."),
  lastObservedTime: microTime(2).always().expected().doc("When it last happened."),
}).doc("Tells that the same thing happens again and again.");
export interface EventSeries extends Infer<typeof EventSeries> {}

const fields = {
  eventTime: microTime(2).always().expected().doc("When it was first seen, to the microsecond."),
  series: message(3, EventSeries).doc("Present where it happens again and again."),
  reportingController: string(4).doc("The controller that tells of it."),
  reportingInstance: string(5).doc("Which instance of that controller."),
  action: string(6).doc("What was done, or failed."),
  reason: string(7).doc("Why, in a word for machines."),
  regarding: value(8, ObjectReference).doc("The object it happened to."),
  related: message(9, ObjectReference).doc("Another object that had a part in it."),
  note: string(10).doc("What happened, for people."),
  type: string(11).doc("Normal, or Warning."),
  deprecatedSource: value(12, EventSource).doc("The component, as v1 has it."),
  deprecatedFirstTimestamp: time(13).always().doc("When it first happened, as v1 has it."),
  deprecatedLastTimestamp: time(14).always().doc("When it last happened, as v1 has it."),
  deprecatedCount: int32(15).doc("How often it has happened, as v1 has it."),
};
type Body = ObjectValue<typeof fields>;
type CoreEvent = CoreEventKind;

export const Event = kind({
  group: "events.k8s.io",
  version: "v1",
  kind: "Event",
  plural: "events",
  shortNames: ["ev"],
  scope: "Namespaced",
  doc: "Something that happened to an object, told to people.",
  name: nameIsDnsSubdomain,
  conversion: { stored: CoreEventKind, fromStored: fromCoreEvent, toStored: toCoreEvent },
  // Validation is that of the event in the words of v1, metadata included.
  metadataRules: false,
  fields,
  rules: [(event, at) => validateNewEvent(toCoreEvent(event), at)],
  updateRules: (event, old, { at }) =>
    validateNewEventUpdate(toCoreEvent(event), toCoreEvent(old), at),
  strategy: { createOnUpdate: true, expires: true, dependents: "ignore" },
  columns: eventColumns.map(
    (column): Column<Body> => ({
      ...column,
      cell: (event, context) => column.cell(toCoreEvent(event), context),
    }),
  ),
  selectableFields: {
    "regarding.kind": ({ regarding }) => regarding.kind ?? "",
    "regarding.namespace": ({ regarding }) => regarding.namespace ?? "",
    "regarding.name": ({ regarding }) => regarding.name ?? "",
    "regarding.uid": ({ regarding }) => regarding.uid ?? "",
    "regarding.apiVersion": ({ regarding }) => regarding.apiVersion ?? "",
    "regarding.resourceVersion": ({ regarding }) => regarding.resourceVersion ?? "",
    "regarding.fieldPath": ({ regarding }) => regarding.fieldPath ?? "",
    reason: ({ reason }) => reason ?? "",
    reportingController: ({ reportingController }) => reportingController ?? "",
    type: ({ type }) => type ?? "",
  },
});
export interface Event extends ObjectOf<typeof Event> {}

/** The same event in the words of v1, in which events are stored. */
export function toCoreEvent(event: Body): CoreEvent {
  return {
    kind: "Event",
    apiVersion: "v1",
    metadata: event.metadata,
    involvedObject: event.regarding,
    reason: event.reason,
    message: event.note,
    source: event.deprecatedSource,
    firstTimestamp: event.deprecatedFirstTimestamp,
    lastTimestamp: event.deprecatedLastTimestamp,
    count: event.deprecatedCount,
    type: event.type,
    eventTime: event.eventTime,
    series: event.series,
    action: event.action,
    related: event.related,
    reportingComponent: event.reportingController ?? "",
    reportingInstance: event.reportingInstance ?? "",
  };
}

/** An event of v1 in the words of events.k8s.io. */
export function fromCoreEvent(event: CoreEvent): Body {
  const { series } = event;
  return {
    kind: "Event",
    apiVersion: "events.k8s.io/v1",
    metadata: event.metadata,
    eventTime: event.eventTime,
    series: series && { count: series.count ?? 0, lastObservedTime: series.lastObservedTime },
    reportingController: event.reportingComponent || undefined,
    reportingInstance: event.reportingInstance || undefined,
    action: event.action,
    reason: event.reason,
    regarding: event.involvedObject,
    related: event.related,
    note: event.message,
    type: event.type,
    deprecatedSource: event.source,
    deprecatedFirstTimestamp: event.firstTimestamp,
    deprecatedLastTimestamp: event.lastTimestamp,
    deprecatedCount: event.count,
  };
}
