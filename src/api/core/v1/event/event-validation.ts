import type { At } from "../../../../schema/language/report.ts";
import { sameValue } from "../../../../schema/language/validate.ts";
import {
  isDns1123Subdomain,
  isQualifiedName,
  nameIsDnsSubdomain,
} from "../../../../schema/values/names.ts";
import { internalForm } from "../../../meta/v1/internal-form.ts";
import type { ObjectMeta } from "../../../meta/v1/object-meta.ts";
import {
  validateFinalizerDomain,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../../../meta/v1/object-meta-validation.ts";
import { ObjectReference } from "../object-reference.ts";

/** What is validated of an event, in the words of v1. */
interface CheckedEvent {
  readonly metadata: ObjectMeta;
  readonly involvedObject: ObjectReference;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly type?: string | undefined;
  readonly count?: number | undefined;
  readonly source: { readonly component?: string | undefined; readonly host?: string | undefined };
  readonly firstTimestamp: string | null;
  readonly lastTimestamp: string | null;
  readonly eventTime: string | null;
  readonly action?: string | undefined;
  readonly related?: ObjectReference | undefined;
  readonly series?: Series | undefined;
  readonly reportingComponent: string;
  readonly reportingInstance: string;
}
interface Series {
  readonly count?: number | undefined;
  readonly lastObservedTime: string | null;
}

/**
 * The rules of events in every version; only those with an eventTime are asked for the fields that
 * came with it. `controllerField` is what the version calls the reporting controller.
 */
export function validateLegacyEvent(
  event: CheckedEvent,
  at: At,
  controllerField: "reportingComponent" | "reportingController",
): void {
  const { namespace = "" } = event.metadata;
  if (event.eventTime) {
    if (!event.involvedObject.namespace && namespace !== "default" && namespace !== "kube-system")
      namespaceMismatch(event, at);
    reporter(event, at, controllerField);
    texts(event, at);
  } else {
    const about = event.involvedObject.namespace ?? "";
    const matches =
      about === "" ? namespace === "" || namespace === "default" : about === namespace;
    if (!matches) namespaceMismatch(event, at);
  }
  at.invalidEach("namespace", namespace, isDns1123Subdomain(namespace));
}

/** The stricter rules of a new event in events.k8s.io/v1. */
export function validateNewEvent(event: CheckedEvent, at: At): void {
  validateLegacyEvent(event, at, "reportingController");
  const { metadata, type = "", source } = event;
  validateObjectMeta(metadata, at.child("metadata"), {
    namespaced: true,
    name: nameIsDnsSubdomain,
  });
  validateFinalizers(metadata, at);
  validateSeries(event.series, at);
  if (!event.eventTime) at.required("eventTime");
  if (type !== "Normal" && type !== "Warning") at.invalid("type", "", `has invalid value: ${type}`);
  if (event.firstTimestamp) at.invalid("firstTimestamp", "", "needs to be unset");
  if (event.lastTimestamp) at.invalid("lastTimestamp", "", "needs to be unset");
  if (event.count) at.invalid("count", "", "needs to be unset");
  if (source.component || source.host) at.invalid("source", "", "needs to be unset");
}

/** The stricter rules of an update in events.k8s.io/v1: little but the series may change. */
export function validateNewEventUpdate(event: CheckedEvent, old: CheckedEvent, at: At): void {
  validateLegacyEvent(event, at, "reportingController");
  validateObjectMetaUpdate(event.metadata, old.metadata, at.child("metadata"));
  validateFinalizers(event.metadata, at);
  if (!sameValue(event.series, old.series)) validateSeries(event.series, at);
  for (const [name, shown, zero] of unchanging)
    if (!sameValue(event[name] || zero, old[name] || zero))
      at.invalid(shown, shownIn(event, name) ?? zero, "field is immutable");
}

/** What is a struct is shown with all its fields, by the names of Go. */
function shownIn(event: CheckedEvent, name: (typeof unchanging)[number][0]): unknown {
  const { involvedObject, related, source } = event;
  if (name === "involvedObject") return internalForm(ObjectReference, involvedObject);
  if (name === "related") return related && internalForm(ObjectReference, related);
  if (name !== "source") return event[name];
  return { Component: source.component ?? "", Host: source.host ?? "" };
}

/** In upstream's order, in which the reason comes twice; each with its name and its zero. */
const unchanging = [
  ["involvedObject", "involvedObject", {}],
  ["reason", "reason", ""],
  ["message", "message", ""],
  ["source", "source", {}],
  ["firstTimestamp", "firstTimestamp", null],
  ["lastTimestamp", "lastTimestamp", null],
  ["count", "count", 0],
  ["reason", "reason", ""],
  ["type", "type", ""],
  ["eventTime", "eventTime", null],
  ["action", "action", ""],
  ["related", "related", null],
  ["reportingComponent", "reportingController", ""],
  ["reportingInstance", "reportingInstance", ""],
] as const;

function namespaceMismatch({ involvedObject }: CheckedEvent, at: At): void {
  const about = involvedObject.namespace ?? "";
  at.child("involvedObject").invalid("namespace", about, "does not match event.namespace");
}

function reporter(event: CheckedEvent, at: At, controllerField: string): void {
  const { reportingComponent, reportingInstance } = event;
  if (!reportingComponent) at.required(controllerField);
  at.invalidEach(controllerField, reportingComponent, isQualifiedName(reportingComponent));
  if (!reportingInstance) at.required("reportingInstance");
  atMost(128, "reportingInstance", reportingInstance, at);
}

function texts({ action = "", reason = "", message = "" }: CheckedEvent, at: At): void {
  if (!action) at.required("action");
  atMost(128, "action", action, at);
  if (!reason) at.required("reason");
  atMost(128, "reason", reason, at);
  atMost(1024, "message", message, at);
}

const encoder = new TextEncoder();

function atMost(max: number, field: string, text: string, at: At): void {
  if (encoder.encode(text).length > max)
    at.invalid(field, "", `can have at most ${max} characters`);
}

function validateSeries(series: Series | undefined, at: At): void {
  if (!series) return;
  if ((series.count ?? 0) < 2) at.invalid("series.count", "", "should be at least 2");
  if (!series.lastObservedTime) at.required("series.lastObservedTime");
}

function validateFinalizers({ finalizers = [] }: ObjectMeta, at: At): void {
  for (const [i, finalizer] of finalizers.entries())
    validateFinalizerDomain(finalizer, at.child("metadata").child("finalizers").index(i));
}
