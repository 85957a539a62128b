import { encodeAnyJson } from "../../../schema/json/json.ts";
import { type JsonNode, JsonSyntaxError, parseJson } from "../../../schema/json/strict-json.ts";
import { quote } from "../../../schema/values/quote.ts";
import { YamlError, yamlToJson } from "../../../schema/yaml/yaml.ts";

/** The kinds of failure that metrics tell apart. */
export type FailureType =
  | "conversion_webhook_call_failure"
  | "conversion_webhook_malformed_response_failure"
  | "conversion_webhook_partial_response_failure"
  | "conversion_webhook_invalid_converted_object_failure";

/** A conversion that failed; its message is upstream's and is meant for the client. */
export class ConversionFailure extends Error {
  override readonly name = "ConversionFailure";
  readonly type: FailureType;

  constructor(type: FailureType, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.type = type;
  }
}

/** A review that is sent to a webhook. */
export interface ConversionRequest {
  readonly uid: string;
  /** The version of the review itself. */
  readonly reviewVersion: string;
  readonly desiredVersion: string;
  readonly objects: readonly object[];
}

/** The version of reviews to use: the first in a webhook's list that is known here. */
export const reviewVersionOf = (versions: readonly string[]): string | undefined =>
  versions.find((version) => version === "v1" || version === "v1beta1");

/** The JSON of a review, with the empty response that upstream sends along. */
export function conversionReview(request: ConversionRequest): string {
  const { uid, reviewVersion, desiredVersion, objects } = request;
  const [id, version] = [JSON.stringify(uid), JSON.stringify(desiredVersion)];
  const items = objects.map((object) => encodeAnyJson(object)).join(",");
  return `{"kind":"ConversionReview","apiVersion":"${group}/${reviewVersion}","request":{"uid":${id},"desiredAPIVersion":${version},"objects":[${items}]},"response":{"uid":"","convertedObjects":null,"result":{"metadata":{}}}}\n`;
}

/** An object in a response: its place in the text, which error messages quote. */
export interface ReturnedObject {
  readonly node: JsonNode | undefined;
  readonly text: string;
}

/**
 * The objects in the response of a webhook. Throws a ConversionFailure whose message says what is wrong with the
 * response; that it concerns a conversion is for the caller to add.
 */
export function returnedObjects(
  text: string,
  { uid, reviewVersion }: Pick<ConversionRequest, "uid" | "reviewVersion">,
): readonly ReturnedObject[] {
  const { text: json, node } = parsed(text);
  const given = { apiVersion: textAt(node, "apiVersion"), kind: textAt(node, "kind") };
  checkKind(given, reviewVersion);
  const response = child(node, "response");
  const read = typedResponse(response, reviewVersion);
  if (reviewVersion === "v1" && (given.apiVersion === "" || given.kind === ""))
    throw malformed(
      `expected webhook response of ${gvk(`${group}/v1`, review)}, got ${gvk(given.apiVersion, given.kind)}`,
    );
  if (!response || response.kind === "null") throw malformed("no response provided");
  if (reviewVersion === "v1" && read.uid !== uid)
    throw malformed(`expected response.uid=${quote(uid)}, got ${quote(read.uid)}`);
  if (read.status !== "Success")
    throw malformed(read.message || `response.result.status was '${read.status}', not 'Success'`);
  return read.objects.map((item) => ({
    node: item.kind === "null" ? undefined : item,
    text: json.slice(item.start, item.end),
  }));
}

const group = "apiextensions.k8s.io";
const review = "ConversionReview";

const failed = (message: string): ConversionFailure =>
  new ConversionFailure("conversion_webhook_call_failure", message);
const malformed = (message: string): ConversionFailure =>
  new ConversionFailure("conversion_webhook_malformed_response_failure", message);

/** A version and kind as upstream's messages write them. */
export function gvk(apiVersion: string, kind: string): string {
  const [first = "", second] = apiVersion.split("/");
  return second === undefined ? `/${first}, Kind=${kind}` : `${first}/${second}, Kind=${kind}`;
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
    throw failed(`${unreadable} ${cannotUnmarshal(node)} value of type ${typeMeta}`);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw failed(`${unreadable} ${error.message}`);
    throw error;
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
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  reviewVersion: string,
): void {
  const version = apiVersion === "" ? `${group}/${reviewVersion}` : apiVersion;
  const name = kind === "" ? review : kind;
  const isStatus = version === "v1" && name === "Status";
  const isReview = version === `${group}/v1` || version === `${group}/v1beta1`;
  if (isStatus || (isReview && name === review && version !== `${group}/${reviewVersion}`))
    throw failed(
      `converting (${version.replace(/^.*\//, "")}.${name}) to (${reviewVersion}.${review}): unknown conversion`,
    );
  if (!isReview || name !== review)
    throw failed(
      `no kind ${quote(name)} is registered for version ${quote(version)} in scheme "k8s.io/apiserver/pkg/util/webhook/client.go:71"`,
    );
}

interface Response {
  readonly uid: string;
  readonly status: string;
  readonly message: string;
  readonly objects: readonly JsonNode[];
}

/** The members of a response; throws as Go does where one has another type. */
function typedResponse(response: JsonNode | undefined, version: string): Response {
  expectType(response, "object", `ConversionReview.response of type ${version}.ConversionResponse`);
  const result = child(response, "result");
  const objects = child(response, "convertedObjects");
  const field = "ConversionResponse.response";
  expectType(child(response, "uid"), "string", `${field}.uid of type types.UID`);
  expectType(objects, "array", `${field}.convertedObjects of type []runtime.RawExtension`);
  expectType(result, "object", `${field}.result of type v1.Status`);
  for (const name of ["status", "message"])
    expectType(child(result, name), "string", `Status.response.result.${name} of type string`);
  return {
    uid: textAt(response, "uid"),
    status: textAt(result, "status"),
    message: textAt(result, "message"),
    objects: objects?.kind === "array" ? objects.items : [],
  };
}

function expectType(node: JsonNode | undefined, kind: JsonNode["kind"], where: string): void {
  if (node && node.kind !== "null" && node.kind !== kind)
    throw failed(`${cannotUnmarshal(node)} struct field ${where}`);
}

/** The beginning of Go's words for a value of the wrong type. */
export const cannotUnmarshal = ({ kind }: JsonNode): string =>
  `json: cannot unmarshal ${kind === "boolean" ? "bool" : kind} into Go`;

/** The last member of a name, as Go takes it. */
function child(node: JsonNode | undefined, name: string): JsonNode | undefined {
  if (node?.kind !== "object") return undefined;
  return node.members.findLast((member) => member.name === name)?.value;
}

function textAt(node: JsonNode | undefined, name: string): string {
  const value = child(node, name);
  return value?.kind === "string" ? value.value : "";
}
