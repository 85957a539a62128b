import { encodeAnyJson } from "../../../schema/json/json.ts";
import { type JsonNode, JsonSyntaxError, parseJson } from "../../../schema/json/strict-json.ts";
import { quote } from "../../../schema/values/quote.ts";
import { YamlError, yamlToJson } from "../../../schema/yaml/yaml.ts";

/** The kind of the reviews of a webhook, in one version. */
export interface ReviewKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A review that a webhook returned. */
export interface ReturnedReview {
  readonly text: string;
  readonly node: JsonNode;
  /** As the review names itself; empty if it does not. */
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * The version of reviews to use: the first in a webhook's list that is known here. Reviews of v1 and v1beta1 have the
 * same fields.
 */
export const reviewVersionOf = (versions: readonly string[]): string | undefined =>
  versions.find((version) => version === "v1" || version === "v1beta1");

/** Reads the response of a webhook; throws a SyntaxError, in upstream's words, if it is no review of the kind. */
export function returnedReview(response: string, expected: ReviewKind): ReturnedReview {
  const { text, node } = parsed(response);
  const named = { apiVersion: textAt(node, "apiVersion"), kind: textAt(node, "kind") };
  checkKind(named, expected);
  return { text, node, ...named };
}

/** A version and kind as upstream's messages write them. */
export function gvk(apiVersion: string, kind: string): string {
  const [first = "", second] = apiVersion.split("/");
  return second === undefined ? `/${first}, Kind=${kind}` : `${first}/${second}, Kind=${kind}`;
}

/** The beginning of Go's words for a value of the wrong type. */
export const cannotUnmarshal = ({ kind }: JsonNode): string =>
  `json: cannot unmarshal ${kind === "boolean" ? "bool" : kind} into Go`;

/** The last member of a name, as Go takes it. */
export function memberOf(node: JsonNode | undefined, name: string): JsonNode | undefined {
  if (node?.kind !== "object") return undefined;
  return node.members.findLast((member) => member.name === name)?.value;
}

/** A member that is a text; empty if it is something else. */
export function textAt(node: JsonNode | undefined, name: string): string {
  const value = memberOf(node, name);
  return value?.kind === "string" ? value.value : "";
}

const typeMeta =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
const unreadable = "couldn't get version/kind; json parse error:";

/** Upstream reads what is no JSON as YAML. */
function parsed(text: string): { readonly text: string; readonly node: JsonNode } {
  const json = /^\s*\{/.test(text) ? text : asJson(text);
  try {
    const node = parseJson(json);
    if (node.kind === "object" || node.kind === "null") return { text: json, node };
    throw new SyntaxError(`${unreadable} ${cannotUnmarshal(node)} value of type ${typeMeta}`);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new SyntaxError(`${unreadable} ${error.message}`, { cause: error });
  }
}

function asJson(text: string): string {
  try {
    return encodeAnyJson(yamlToJson(text, { lenient: true }));
  } catch (error) {
    if (error instanceof YamlError) return text;
    throw error;
  }
}

/** A review of another kind or version is an error; one that does not say what it is passes. */
function checkKind(
  { apiVersion, kind }: Pick<ReturnedReview, "apiVersion" | "kind">,
  { group, version: expected, kind: review }: ReviewKind,
): void {
  const version = apiVersion === "" ? `${group}/${expected}` : apiVersion;
  const name = kind === "" ? review : kind;
  const isStatus = version === "v1" && name === "Status";
  const isReview = ["v1", "v1beta1", expected].some((known) => version === `${group}/${known}`);
  if (isStatus || (isReview && name === review && version !== `${group}/${expected}`))
    throw new SyntaxError(
      `converting (${version.replace(/^.*\//, "")}.${name}) to (${expected}.${review}): unknown conversion`,
    );
  if (!isReview || name !== review)
    throw new SyntaxError(
      `no kind ${quote(name)} is registered for version ${quote(version)} in scheme "k8s.io/apiserver/pkg/util/webhook/client.go:71"`,
    );
}
