import { DeleteOptions } from "../../api/meta/v1/options.ts";
import { badRequest } from "../../api/meta/v1/status-error.ts";
import { WireError } from "../../base/protobuf-wire.ts";
import { DecodeError, decodeJson } from "../../schema/json/decode.ts";
import { stringifyJson } from "../../schema/json/strict-json.ts";
import { decodeStructValue } from "../../schema/language/struct-form.ts";
import { openEnvelope } from "../../schema/protobuf/envelope.ts";
import { decodeProtobuf } from "../../schema/protobuf/protobuf-decode.ts";
import { quote } from "../../schema/values/quote.ts";
import { YamlError, yamlToJson } from "../../schema/yaml/yaml.ts";
import { contentType, requestValue, typeMetaOf } from "../request/body.ts";
import type { Query } from "../request/query.ts";
import type { ApiRequest } from "../request/request.ts";

/** The options of a deletion: in the body if there is one, else in the query. */
export function readDeleteOptions(request: ApiRequest, query: Query): DeleteOptions {
  const { body = new Uint8Array(), value } = request;
  if (value === undefined && body.length === 0) return fromQuery(query);
  try {
    const options =
      value === undefined ? fromBody(contentType(request), body) : fromValue(requestValue(value));
    const { kind = "", apiVersion = "" } = options;
    if (kind !== "" && kind !== "DeleteOptions")
      throw badRequest(
        `no kind ${quote(kind)} is registered for version ${quote(apiVersion)} in scheme "pkg/apis/meta/internalversion/scheme/register.go:27"`,
      );
    return options;
  } catch (error) {
    if (error instanceof YamlError) throw badRequest(`yaml: ${error.message}`);
    const isBad = [DecodeError, WireError, SyntaxError].some((fault) => error instanceof fault);
    if (isBad) throw badRequest((error as Error).message);
    throw error;
  }
}

type TypedOptions = DeleteOptions & { readonly kind?: string; readonly apiVersion?: string };

function fromBody(type: string, body: Uint8Array): TypedOptions {
  if (type === "application/vnd.kubernetes.protobuf") {
    const { raw, kind, apiVersion } = openEnvelope(body);
    const options = decodeProtobuf(DeleteOptions, raw) as DeleteOptions;
    return { ...options, kind, apiVersion };
  }
  const text = new TextDecoder().decode(body);
  const json =
    type === "application/yaml" ? stringifyJson(yamlToJson(text, { lenient: true })) : text;
  try {
    return decodeJson(DeleteOptions, json).value as TypedOptions;
  } catch (error) {
    // As upstream, an error about the kind comes before errors in the fields.
    if (error instanceof DecodeError) typeMetaOf(json);
    throw error;
  }
}

const fromValue = (value: unknown): TypedOptions =>
  decodeStructValue(DeleteOptions, value, () => stringifyJson(value)).value as TypedOptions;

function fromQuery(query: Query): DeleteOptions {
  const policy = query.text("propagationPolicy");
  return {
    gracePeriodSeconds: query.integer("gracePeriodSeconds"),
    orphanDependents: query.flag("orphanDependents"),
    ...(policy !== "" && { propagationPolicy: policy }),
    dryRun: query.all("dryRun"),
  };
}
