import type { At } from "../../../schema/language/report.ts";
import { sameValue } from "../../../schema/language/validate.ts";
import {
  isQualifiedName,
  isValidLabelValue,
  type Messages,
  nameIsDnsLabel,
} from "../../../schema/values/names.ts";
import { quote } from "../../../schema/values/quote.ts";
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from "./object-meta.ts";

/** Says what is wrong with a name, or with the prefix of one that is still to be generated. */
export type NameRule = (name: string, prefix?: boolean) => Messages;

/** The rules of metadata at creation; the name has been generated already. */
export function validateObjectMeta(
  meta: ObjectMeta,
  at: At,
  { namespaced, name: nameRule }: { readonly namespaced: boolean; readonly name: NameRule },
): void {
  if (meta.generateName)
    at.invalidEach("generateName", meta.generateName, nameRule(meta.generateName, true));
  if (!meta.name) at.required("name", "name or generateName is required");
  else at.invalidEach("name", meta.name, nameRule(meta.name, false));

  if (!namespaced) {
    if (meta.namespace) at.forbidden("namespace", "not allowed on this type");
  } else if (!meta.namespace) at.required("namespace");
  else at.invalidEach("namespace", meta.namespace, nameIsDnsLabel(meta.namespace));

  if ((meta.generation ?? 0) < 0)
    at.invalid("generation", meta.generation, "must be greater than or equal to 0");
  validateLabels(meta.labels, at.child("labels"));
  validateAnnotations(meta.annotations, at.child("annotations"));
  validateOwnerReferences(meta.ownerReferences ?? [], at.child("ownerReferences"));
  validateFinalizers(meta.finalizers ?? [], at.child("finalizers"));
  validateManagedFields(meta.managedFields ?? [], at.child("managedFields"));
}

/** The rules of metadata in an update. */
export function validateObjectMetaUpdate(meta: ObjectMeta, old: ObjectMeta, at: At): void {
  if (old.deletionTimestamp) {
    const added = (meta.finalizers ?? []).filter((name) => !old.finalizers?.includes(name));
    if (added.length > 0) {
      const names = [...new Set(added)].sort().map((name) => quote(name));
      const found = `[]string{${names.join(", ")}}`;
      at.forbidden(
        "finalizers",
        `no new finalizers can be added if the object is being deleted, found new finalizers ${found}`,
      );
    }
  }
  if (!meta.resourceVersion) at.invalid("resourceVersion", "", "must be specified for an update");
  if ((meta.generation ?? 0) < (old.generation ?? 0))
    at.invalid("generation", meta.generation ?? 0, "must not be decremented");
  for (const [name, zero] of unchanging)
    if (!sameValue(meta[name], old[name]))
      at.invalid(name, meta[name] ?? zero, "field is immutable");
  validateLabels(meta.labels, at.child("labels"));
  validateAnnotations(meta.annotations, at.child("annotations"));
  validateOwnerReferences(meta.ownerReferences ?? [], at.child("ownerReferences"));
  validateManagedFields(meta.managedFields ?? [], at.child("managedFields"));
}

/** What an update may not touch, each with what an error shows when it is absent. */
const unchanging = [
  ["name", ""],
  ["namespace", ""],
  ["uid", ""],
  ["creationTimestamp", null],
  ["deletionTimestamp", null],
  ["deletionGracePeriodSeconds", null],
] as const;

/** Keys are qualified names, values label values. */
export function validateLabels(labels: Readonly<Record<string, string>> | undefined, at: At): void {
  if (!labels) return;
  for (const key of Object.keys(labels)) {
    at.invalidEach("", key, isQualifiedName(key));
    const value = labels[key] as string;
    at.invalidEach("", value, isValidLabelValue(value));
  }
}

const annotationLimit = 256 * 1024;
const encoder = new TextEncoder();

/** Keys are qualified names whatever their case; all of them together are not too large. */
export function validateAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  at: At,
): void {
  if (!annotations) return;
  let units = 0;
  for (const key of Object.keys(annotations)) {
    at.invalidEach("", key, isQualifiedName(key.toLowerCase()));
    units += key.length + (annotations[key] as string).length;
  }
  // A UTF-16 unit is at most three bytes: most annotations need not be counted to the byte.
  if (units * 3 > annotationLimit && byteSize(annotations) > annotationLimit)
    at.tooLong("", annotationLimit);
}

function byteSize(map: Readonly<Record<string, string>>): number {
  let size = 0;
  for (const [key, value] of Object.entries(map))
    size += encoder.encode(key).length + encoder.encode(value).length;
  return size;
}

function validateOwnerReferences(references: readonly OwnerReference[], at: At): void {
  let first = "";
  for (const reference of references) {
    validateOwnerReference(reference, at);
    if (!reference.controller) continue;
    const current = `${reference.kind}/${reference.name}`;
    if (first === "") first = current;
    else
      at.invalid(
        "",
        references,
        `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${current}`,
      );
  }
}

function validateOwnerReference(reference: OwnerReference, at: At): void {
  const { apiVersion, kind, name, uid } = reference;
  const version = versionOf(apiVersion);
  if (!version) at.invalid("apiVersion", apiVersion, "version must not be empty");
  if (!kind) at.invalid("kind", kind, "must not be empty");
  if (!name) at.invalid("name", name, "must not be empty");
  if (!uid) at.invalid("uid", uid, "must not be empty");
  if (apiVersion === "v1" && kind === "Event")
    at.invalid("", reference, "/v1, Kind=Event is disallowed from being an owner");
}

/** The version of `group/version` or `version`; nothing where there are more slashes. */
function versionOf(apiVersion: string): string {
  const parts = apiVersion.split("/");
  return parts.length > 2 ? "" : (parts.at(-1) ?? "");
}

/** A finalizer without a domain is one of ours. */
export function validateFinalizerDomain(finalizer: string, at: At): void {
  if (!finalizer.includes("/") && !standardFinalizers.has(finalizer))
    at.invalid(
      "",
      finalizer,
      "name is neither a standard finalizer name nor is it fully qualified",
    );
}

const standardFinalizers = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

function validateFinalizers(finalizers: readonly string[], at: At): void {
  for (const finalizer of finalizers) at.invalidEach("", finalizer, isQualifiedName(finalizer));
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion"))
    at.invalid("", finalizers, "finalizer orphan and foregroundDeletion cannot be both set");
}

function validateManagedFields(entries: readonly ManagedFieldsEntry[], at: At): void {
  for (const [i, entry] of entries.entries()) {
    const here = at.index(i);
    const { operation = "", fieldsType = "", manager = "", subresource = "" } = entry;
    if (operation !== "Apply" && operation !== "Update")
      here.invalid("operation", operation, "must be `Apply` or `Update`");
    if (fieldsType !== "" && fieldsType !== "FieldsV1")
      here.invalid("fieldsType", fieldsType, "must be `FieldsV1`");
    validateFieldManager(manager, here.child("manager"));
    if (subresource.length > 256) here.tooLong("subresource", 256);
  }
}

/** The name of a field manager: not too long, and printable. */
export function validateFieldManager(manager: string, at: At): void {
  if (plainManager.test(manager)) return;
  if (encoder.encode(manager).length > 128) at.tooLong("", 128);
  let position = 0;
  for (const char of manager) {
    if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char)) {
      const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
      at.invalid("", manager, `invalid character U+${code} (at position ${position})`);
    }
    position += encoder.encode(char).length;
  }
}
const plainManager = /^[ -~]{0,128}$/;
