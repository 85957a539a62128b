import { type FieldSpec, fieldSpec } from "../config/field-spec.ts";
import { causeOf, inContext, KustomizeError, prefixed } from "../kustomize-error.ts";
import { elements, lookup, NodeKindError } from "../nodes/lookup.ts";
import { isEmpty, isMissing, member, tags, textOf, type YamlNode } from "../nodes/yaml-node.ts";
import { hasNoNamespace, parseApiVersion } from "../resources/gvk.ts";
import { topText } from "../resources/metadata.ts";
import { applyFieldSpec, setString } from "./apply-field-spec.ts";

export interface NamespaceChange {
  readonly namespace: string;
  readonly fieldSpecs: readonly FieldSpec[];
  /** Leaves what is set as it is. */
  readonly unsetOnly: boolean;
  readonly subjects: SubjectMode;
}

/** Which subjects of role bindings are moved along. */
export type SubjectMode = "defaultOnly" | "allServiceAccounts" | "none";

/** Puts an object in a namespace, with the fields that name it. */
export function setNamespace(node: YamlNode, change: NamespaceChange): void {
  const { namespace, unsetOnly, subjects } = change;
  const apiVersion = topText(node, "apiVersion");
  const gvk = { ...parseApiVersion(apiVersion), kind: topText(node, "kind") };
  const setValue = setString(namespace, tags.string);
  const set = (field: YamlNode): void => {
    if (!unsetOnly || isEmpty(field) || textOf(field) === "") setValue(field);
  };
  if (!hasNoNamespace(gvk)) {
    const own = fieldSpec("metadata/namespace", { create: true });
    applyFieldSpec(node, own, { set, createKind: "scalar" });
  }
  const isBinding = bindings.has(gvk.kind);
  if (isBinding) setSubjects(node, { subjects, set });
  const specs = change.fieldSpecs.filter(
    ({ path, kind }) =>
      path !== "metadata/namespace" &&
      (path !== "metadata/name" || apiVersion === "v1") &&
      !(isBinding && bindings.has(kind) && path === "subjects/namespace"),
  );
  try {
    for (const spec of specs) {
      applyFieldSpec(node, spec, { set, createKind: "scalar", createTag: tags.string });
    }
  } catch (error) {
    const found = causeOf(error, NodeKindError);
    const wrong = found !== undefined && found.actual !== "scalar";
    const prefix = wrong
      ? "namespace field specs must target scalar nodes"
      : "namespace transformation failed";
    throw prefixed(prefix, error);
  }
}

const bindings: ReadonlySet<string> = new Set(["RoleBinding", "ClusterRoleBinding"]);

function setSubjects(
  node: YamlNode,
  { subjects, set }: { subjects: SubjectMode; set: (field: YamlNode) => void },
): void {
  if (subjects === "none") return;
  const list = lookup(node, ["subjects"]);
  if (list === undefined || isMissing(list)) return;
  const [field, value] =
    subjects === "defaultOnly" ? ["name", "default"] : ["kind", "ServiceAccount"];
  inContext("setting namespace on (cluster)role binding subjects", () => {
    for (const subject of elements(list)) {
      if (subject.kind !== "mapping") throw new NodeKindError("mapping", subject);
      if (member(subject, field ?? "")?.value !== value) continue;
      const namespace = lookup(subject, ["namespace"], "scalar");
      if (namespace !== undefined) set(namespace);
    }
  });
}

/** The mode that a text names; empty is the default. */
export function subjectMode(text: string): SubjectMode {
  if (text === "" || text === "defaultOnly") return "defaultOnly";
  if (text === "allServiceAccounts" || text === "none") return text;
  throw new KustomizeError(
    `invalid value "${text}" for setRoleBindingSubjects: must be one of "defaultOnly", "none" or "allServiceAccounts"`,
  );
}
