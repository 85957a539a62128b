import { encodeAnyJson } from "../../../schema/json/json.ts";
import type { JsonNode } from "../../../schema/json/strict-json.ts";
import { quote } from "../../../schema/values/quote.ts";
import {
  cannotUnmarshal,
  gvk,
  memberOf,
  type ReturnedReview,
  returnedReview,
  textAt,
} from "../../connect/webhooks/returned-review.ts";

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
  const { text: json, node, apiVersion, kind } = reviewIn(text, reviewVersion);
  const response = memberOf(node, "response");
  const read = typedResponse(response, reviewVersion);
  if (reviewVersion === "v1" && (apiVersion === "" || kind === ""))
    throw malformed(
      `expected webhook response of ${gvk(`${group}/v1`, review)}, got ${gvk(apiVersion, kind)}`,
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

function reviewIn(text: string, version: string): ReturnedReview {
  try {
    return returnedReview(text, { group, version, kind: review });
  } catch (error) {
    throw error instanceof SyntaxError ? failed(error.message) : error;
  }
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
  const result = memberOf(response, "result");
  const objects = memberOf(response, "convertedObjects");
  const field = "ConversionResponse.response";
  expectType(memberOf(response, "uid"), "string", `${field}.uid of type types.UID`);
  expectType(objects, "array", `${field}.convertedObjects of type []runtime.RawExtension`);
  expectType(result, "object", `${field}.result of type v1.Status`);
  for (const name of ["status", "message"])
    expectType(memberOf(result, name), "string", `Status.response.result.${name} of type string`);
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
