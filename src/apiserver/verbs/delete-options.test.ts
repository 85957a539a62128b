import { expect, test } from "vitest";
import { DeleteOptions } from "../../api/meta/v1/options.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { envelope } from "../../schema/protobuf/envelope.ts";
import { encodeProtobuf } from "../../schema/protobuf/protobuf.ts";
import { toApiRequest } from "../in-process.test-support.ts";
import { Query } from "../request/query.ts";
import { readDeleteOptions } from "./delete-options.ts";

const protobuf = "application/vnd.kubernetes.protobuf";
const options = { gracePeriodSeconds: 0, preconditions: { uid: "u" }, propagationPolicy: "Orphan" };
const message = (kind: string) =>
  envelope({ apiVersion: "v1", kind, raw: encodeProtobuf(DeleteOptions, options) });

function read(body: string | Uint8Array, type = "application/json", query = "") {
  const request = {
    ...toApiRequest({ path: "/", headers: { "content-type": type } }),
    body: typeof body === "string" ? new TextEncoder().encode(body) : body,
  };
  try {
    return readDeleteOptions(request, new Query(query));
  } catch (error) {
    if (!StatusError.is(error)) throw error;
    return `${error.code} ${error.message}`;
  }
}

test.each([
  ["JSON", JSON.stringify(options), "application/json"],
  [
    "JSON with its kind",
    JSON.stringify({ kind: "DeleteOptions", apiVersion: "v1", ...options }),
    "",
  ],
  [
    "YAML",
    "gracePeriodSeconds: 0\npreconditions: {uid: u}\npropagationPolicy: Orphan\n",
    "application/yaml",
  ],
  ["protobuf", message("DeleteOptions"), protobuf],
])("readDeleteOptions: %s", (_, body, type) => {
  expect(read(body, type, "gracePeriodSeconds=9")).toMatchObject(options);
});

test("readDeleteOptions: options come from the query if there is no body", () => {
  const query =
    "gracePeriodSeconds=5&orphanDependents=false&dryRun=All&propagationPolicy=Background";
  expect(read("", "application/json", query)).toEqual({
    gracePeriodSeconds: 5,
    orphanDependents: false,
    propagationPolicy: "Background",
    dryRun: ["All"],
  });
  expect(read("")).toEqual({ dryRun: [] });
});

test.each([
  [
    "{",
    "application/json",
    "400 couldn't get version/kind; json parse error: unexpected end of JSON input",
  ],
  [
    "[]",
    "application/json",
    '400 couldn\'t get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
  ],
  [
    '{"gracePeriodSeconds":"1"}',
    "application/json",
    "400 json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64",
  ],
  [
    '{"kind":"Pod","apiVersion":"v1"}',
    "application/json",
    '400 no kind "Pod" is registered for version "v1" in scheme "pkg/apis/meta/internalversion/scheme/register.go:27"',
  ],
  [
    message("Pod"),
    protobuf,
    '400 no kind "Pod" is registered for version "v1" in scheme "pkg/apis/meta/internalversion/scheme/register.go:27"',
  ],
  ["{}", protobuf, /^400 provided data does not appear to be a protobuf message/],
  ["a: [", "application/yaml", /^400 yaml: /],
  ["{}", "text/plain", /^415 the body of the request was in an unknown format/],
])("readDeleteOptions: %j as %s is refused", (body, type, wanted) => {
  if (typeof wanted === "string") expect(read(body, type)).toEqual(wanted);
  else expect(read(body, type)).toMatch(wanted);
});
