import {
  int32,
  message,
  microTime,
  string,
  time,
  value,
} from "../../../../schema/language/field.ts";
import { type Infer, struct } from "../../../../schema/language/struct.ts";
import { pathSegmentName } from "../../../../schema/values/names.ts";
import { kind, type ObjectOf } from "../../../meta/v1/kind.ts";
import { ObjectReference } from "../object-reference.ts";
import { eventColumns } from "./event-columns.ts";
import { validateLegacyEvent } from "./event-validation.ts";

export const EventSource = struct("io.k8s.api.core.v1.EventSource", {
  component: string(1).doc("The component that saw it."),
  host: string(2).doc("The node on which that component runs."),
}).doc("Where an event comes from.");
export interface EventSource extends Infer<typeof EventSource> {}

export const EventSeries = struct("io.k8s.api.core.v1.EventSeries", {
  count: int32(1).doc("How often it has happened by now."),
  lastObservedTime: microTime(2).always().doc("When it last happened."),
}).doc("Tells that the same thing happens again and again.");
export interface EventSeries extends Infer<typeof EventSeries> {}

export const Event = kind({
  group: "",
  version: "v1",
  kind: "Event",
  plural: "events",
  shortNames: ["ev"],
  scope: "Namespaced",
  doc: "Something that happened to an object, told to people.",
  name: pathSegmentName,
  metadataRules: false,
  metadataExpected: true,
  fields: {
    involvedObject: value(2, ObjectReference).expected().doc("The object it happened to."),
    reason: string(3).doc("Why it happened, in a word for machines."),
    message: string(4).doc("What happened, for people."),
    source: value(5, EventSource).doc("The component that saw it."),
    firstTimestamp: time(6).always().doc("When it first happened."),
    lastTimestamp: time(7).always().doc("When it last happened."),
    count: int32(8).doc("How often it has happened."),
    type: string(9).doc("Normal, or Warning."),
    eventTime: microTime(10).always().doc("When it was first seen, to the microsecond."),
    series: message(11, EventSeries).doc("Present where it happens again and again."),
    action: string(12).doc("What was done, or failed."),
    related: message(13, ObjectReference).doc("Another object that had a part in it."),
    reportingComponent: string(14).always().doc("The controller that tells of it."),
    reportingInstance: string(15).always().doc("Which instance of that controller."),
  },
  rules: [(event, at) => validateLegacyEvent(event, at, "reportingComponent")],
  strategy: { createOnUpdate: true, expires: true, dependents: "ignore" },
  columns: eventColumns,
  selectableFields: {
    "involvedObject.kind": ({ involvedObject }) => involvedObject.kind ?? "",
    "involvedObject.namespace": ({ involvedObject }) => involvedObject.namespace ?? "",
    "involvedObject.name": ({ involvedObject }) => involvedObject.name ?? "",
    "involvedObject.uid": ({ involvedObject }) => involvedObject.uid ?? "",
    "involvedObject.apiVersion": ({ involvedObject }) => involvedObject.apiVersion ?? "",
    "involvedObject.resourceVersion": ({ involvedObject }) => involvedObject.resourceVersion ?? "",
    "involvedObject.fieldPath": ({ involvedObject }) => involvedObject.fieldPath ?? "",
    reason: ({ reason }) => reason ?? "",
    reportingComponent: ({ reportingComponent }) => reportingComponent,
    source: ({ source, reportingComponent }) => source.component || reportingComponent,
    type: ({ type }) => type ?? "",
  },
});
export interface Event extends ObjectOf<typeof Event> {}
