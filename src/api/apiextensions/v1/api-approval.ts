import type { At } from "../../../schema/language/report.ts";
import { parseGoUrl } from "../../../schema/values/go-url.ts";
import { quote } from "../../../schema/values/quote.ts";

/** The annotation that says where an API in one of the community's groups was approved. */
export const apiApprovedAnnotation = "api-approved.kubernetes.io";

type Annotations = Readonly<Record<string, string>> | undefined;
export type ApiApproval = "missing" | "bypassed" | "approved" | "invalid";

/** Whether an API was approved, as an annotation says. */
export function apiApproval(annotations: Annotations): ApiApproval {
  const text = annotations?.[apiApprovedAnnotation] ?? "";
  if (text === "") return "missing";
  if (text.startsWith("unapproved")) return "bypassed";
  const url = parseGoUrl(text);
  return typeof url !== "string" && url.scheme !== "" && url.host !== "" ? "approved" : "invalid";
}

/** Whether a group is the community's. */
export const isProtectedGroup = (group: string): boolean =>
  /(^|\.)(k8s|kubernetes)\.io$/.test(group);

interface Definition {
  readonly metadata: { readonly annotations?: Annotations };
  readonly spec: { readonly group: string };
}

/** The rules of the approval of an API; it may stay as it is. */
export function validateApiApproval(
  { metadata: { annotations }, spec }: Definition,
  old: Definition | undefined,
  at: At,
): void {
  if (!isProtectedGroup(spec.group)) return;
  const state = apiApproval(annotations);
  if (old && apiApproval(old.metadata.annotations) === state) return;
  const here = at.child("metadata").child("annotations").key(apiApprovedAnnotation);
  const must = `protected groups must have approval annotation ${quote(apiApprovedAnnotation)}`;
  const see = "see https://github.com/kubernetes/enhancements/pull/1111";
  if (state === "missing") here.required("", `${must}, ${see}`);
  if (state === "invalid")
    here.invalid(
      "",
      annotations?.[apiApprovedAnnotation],
      `${must} with either a URL or a reason starting with "unapproved", ${see}`,
    );
}
