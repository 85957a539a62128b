import { bool, int64, listOf, string, strings } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { boolType, int64Type } from "../../../schema/language/type.ts";
import { byteLength } from "./bounded.ts";

import { inEachVersion, nameIn } from "./versions.ts";

export const deviceAttribute = inEachVersion((version) =>
  struct(nameIn(version, "DeviceAttribute"), {
    int: int64(2).pointer().doc("A number."),
    bool: bool(3).pointer().doc("True or false."),
    string: string(4).pointer().doc("A text."),
    version: string(5).pointer().doc("A semantic version."),
    ints: listOf(6, int64Type).atomic().doc("Several numbers."),
    bools: listOf(7, boolType).atomic().doc("Several times true or false."),
    strings: strings(8).atomic().doc("Several texts."),
    versions: strings(9).atomic().doc("Several semantic versions."),
  }).doc("The value of an attribute, of just one type."),
);
export interface DeviceAttribute extends Infer<ReturnType<typeof deviceAttribute>> {}

const maxValue = 64;
const number = "(0|[1-9][0-9]*)";
const preRelease = "(0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)";
const build = "[0-9a-zA-Z-]+";
const semanticVersion = new RegExp(
  `^${number}\\.${number}\\.${number}(-${preRelease}(\\.${preRelease})*)?(\\+${build}(\\.${build})*)?$`,
);

/** An attribute has one value, or one list of values that is not empty. */
export function validateDeviceAttribute(attribute: DeviceAttribute, at: At): void {
  const { string: text, version } = attribute;
  if (text !== undefined) validateText(text, at.child("string"));
  if (version !== undefined) validateVersion(version, at.child("version"));
  for (const name of ["bools", "ints", "strings", "versions"] as const)
    if (attribute[name]?.length === 0)
      at.invalid(name, attribute[name], "must not be empty if specified");
    else validateValues(attribute, name, at.child(name));
  const given = Object.values(attribute).filter((value) => value !== undefined && value !== null);
  if (given.length === 0) at.invalid("", "", "exactly one value must be specified");
  if (given.length > 1) at.invalid("", shownInGo(attribute), "exactly one value must be specified");
}

/** The attribute as upstream holds it in memory. */
const shownInGo = (attribute: DeviceAttribute) => ({
  IntValue: attribute.int ?? null,
  BoolValue: attribute.bool ?? null,
  StringValue: attribute.string ?? null,
  VersionValue: attribute.version ?? null,
  IntValues: attribute.ints ?? null,
  BoolValues: attribute.bools ?? null,
  StringValues: attribute.strings ?? null,
  VersionValues: attribute.versions ?? null,
});

function validateValues(attribute: DeviceAttribute, name: keyof DeviceAttribute, at: At): void {
  if (name === "strings")
    for (const [i, text] of (attribute.strings ?? []).entries()) validateText(text, at.index(i));
  if (name === "versions")
    for (const [i, text] of (attribute.versions ?? []).entries())
      validateVersion(text, at.index(i));
}

function validateText(text: string, at: At): void {
  if (byteLength(text) > maxValue) at.tooLong("", maxValue);
}

function validateVersion(text: string, at: At): void {
  if (!semanticVersion.test(text))
    at.invalid("", text, "must be a string compatible with semver.org spec 2.0.0");
  validateText(text, at);
}
