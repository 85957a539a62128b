import { message, named, string } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import {
  isDns1035Label,
  isDns1123Subdomain,
  pathSegmentName,
} from "../../../schema/values/names.ts";
import {
  LabelSelector,
  labelSelectorText,
  validateLabelSelector,
} from "../../meta/v1/label-selector.ts";
import { packageOf } from "./rule.ts";

/** The kind of a policy's parameters; one for each version, all alike. */
export const paramKind = (version: string) =>
  struct(`${packageOf(version)}.ParamKind`, {
    apiVersion: string(1).doc("The group and version of the kind."),
    kind: string(2).doc("The name of the kind."),
  })
    .atomic()
    .doc("The kind of the objects that hold the parameters of a policy.");

export const ParamKind = paramKind("v1");
export interface ParamKind extends Infer<typeof ParamKind> {}

/** Where a binding finds parameters; one for each version, the oldest with a default. */
export function paramRef(version: string) {
  const action = named(4, `${version}.ParameterNotFoundActionType`)
    .pointer()
    .known("Allow", "Deny")
    .doc("What becomes of a request when there are no such parameters.");
  if (version === "v1alpha1") action.default("Deny");
  return struct(`${packageOf(version)}.ParamRef`, {
    name: string(1).doc("The name of the object with the parameters."),
    namespace: string(2).doc("Its namespace; that of the request where it is not given."),
    selector: message(3, LabelSelector).doc("The labels of the objects, where no name is given."),
    parameterNotFoundAction: action,
  })
    .atomic()
    .doc("Where the parameters of a policy are found.");
}

export const ParamRef = paramRef("v1");
export interface ParamRef extends Infer<typeof ParamRef> {}

/** The rules of the kind of parameters: a group, a version and a name that can be such. */
export function validateParamKind({ apiVersion = "", kind = "" }: ParamKind, at: At): void {
  if (apiVersion === "") at.required("apiVersion");
  else validateApiVersion(apiVersion, at.child("apiVersion"));
  if (kind === "") at.required("kind");
  else {
    const messages = isDns1035Label(kind.toLowerCase());
    if (messages.length > 0)
      at.invalid(
        "kind",
        kind,
        `may have mixed case, but should otherwise match: ${messages.join(",")}`,
      );
  }
}

function validateApiVersion(apiVersion: string, at: At): void {
  const parts = apiVersion.split("/");
  if (parts.length > 2) {
    at.invalid("", apiVersion, `unexpected GroupVersion string: ${apiVersion}`);
    return;
  }
  const version = parts.at(-1) ?? "";
  const group = parts.length === 2 ? (parts[0] ?? "") : "";
  const ofGroup = group === "" ? [] : isDns1123Subdomain(group);
  if (ofGroup.length > 0) at.invalid("", group, ofGroup.join(","));
  const ofVersion = version === "" ? [] : isDns1035Label(version);
  if (version === "") at.invalid("", apiVersion, "version must be specified");
  else if (ofVersion.length > 0) at.invalid("", version, ofVersion.join(","));
}

/** The rules of where parameters are found: by name or by labels. */
export function validateParamRef(ref: ParamRef, at: At): void {
  const { name = "", selector, parameterNotFoundAction: action = "" } = ref;
  const exclusive = "name and selector are mutually exclusive";
  if (name !== "") {
    at.invalidEach("name", name, pathSegmentName(name));
    if (selector) at.forbidden("name", exclusive);
  }
  if (selector) {
    validateLabelSelector(selector, at.child("selector"));
    if (name !== "") at.forbidden("selector", exclusive);
  }
  if (name === "" && !selector) at.required("", "one of name or selector must be specified");
  if (action === "") at.required("parameterNotFoundAction");
  else if (action !== "Deny" && action !== "Allow")
    at.notSupported("parameterNotFoundAction", action, ["Deny", "Allow"]);
}

/** A kind of parameters in a table. */
export const paramKindCell = (kind: ParamKind | undefined): string =>
  kind ? `${kind.apiVersion ?? ""}/${kind.kind ?? ""}` : "<unset>";

/** Where parameters are found, in a table. */
export function paramRefCell(ref: ParamRef | undefined): string {
  if (ref?.name) return `${ref.namespace || "*"}/${ref.name}`;
  return ref?.selector ? labelSelectorText(ref.selector) : "<unset>";
}
