import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { factsFolder } from "../../test/facts.ts";
import { decodeJson } from "../schema/json/decode.ts";
import { encodeJson } from "../schema/json/json.ts";
import { apiVersionOf } from "../schema/language/kind.ts";
import type { Struct } from "../schema/language/struct.ts";
import { envelope, openEnvelope } from "../schema/protobuf/envelope.ts";
import { encodeProtobuf } from "../schema/protobuf/protobuf.ts";
import { decodeProtobuf } from "../schema/protobuf/protobuf-decode.ts";
import { Scale } from "./autoscaling/v1/scale.ts";
import { kinds } from "./kinds.generated.ts";
import { APIGroup, APIVersions } from "./meta/v1/discovery.ts";
import { Status } from "./meta/v1/status.ts";

/** A type of which there is an object with every field set, as JSON and as protobuf. */
interface Golden {
  readonly apiVersion: string;
  readonly kind: string;
  readonly struct: Struct;
}

const folder = join(factsFolder, "golden");
const fileOf = ({ apiVersion, kind }: Golden, ending: "json" | "pb"): string => {
  const groupVersion = apiVersion.includes("/")
    ? apiVersion.replace("/", ".")
    : `core.${apiVersion}`;
  return join(folder, `${groupVersion}.${kind}.${ending}`);
};

const declared: readonly Golden[] = [
  ...kinds.map((kind) => ({
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    struct: kind.struct as Struct,
  })),
  { apiVersion: "autoscaling/v1", kind: "Scale", struct: Scale },
  { apiVersion: "v1", kind: "Status", struct: Status },
  { apiVersion: "v1", kind: "APIGroup", struct: APIGroup },
  { apiVersion: "v1", kind: "APIVersions", struct: APIVersions },
];

const cases = declared
  .filter((golden) => existsSync(fileOf(golden, "json")))
  .map((golden) => [`${golden.apiVersion} ${golden.kind}`, golden] as const);

describe("the object with every field set:", () => {
  test("there is one of every stable kind", () => {
    const isStable = ({ apiVersion }: Golden) => !/(?:alpha|beta)\d+$/.test(apiVersion);
    const missing = declared.filter((golden) => !existsSync(fileOf(golden, "json")));
    const names = missing.filter(isStable).map(({ apiVersion, kind }) => `${apiVersion} ${kind}`);
    // Of these, upstream keeps no such object.
    expect(names).toEqual([
      "admissionregistration.k8s.io/v1 MutatingAdmissionPolicy",
      "admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding",
      "apiextensions.k8s.io/v1 CustomResourceDefinition",
      "apiregistration.k8s.io/v1 APIService",
    ]);
  });

  test.each(cases)("%s: JSON is read and written as it was", (_, golden) => {
    expect(encodeJson(golden.struct, fromJson(golden))).toEqual(compactJson(golden));
  });

  test.each(cases)("%s: nothing in it is unknown", (_, golden) => {
    expect(decodeJson(golden.struct, compactJson(golden)).strict).toEqual([]);
  });

  test.each(cases)("%s: JSON becomes upstream's protobuf", (_, golden) => {
    expect(hex(toProtobuf(golden, fromJson(golden)))).toEqual(hex(protobuf(golden)));
  });

  test.each(cases)("%s: protobuf becomes upstream's JSON", (_, golden) => {
    expect(encodeJson(golden.struct, fromProtobuf(golden))).toEqual(compactJson(golden));
  });

  test.each(cases)("%s: protobuf is read and written as it was", (_, golden) => {
    expect(hex(toProtobuf(golden, fromProtobuf(golden)))).toEqual(hex(protobuf(golden)));
  });
});

/** The text without its white space, its members in their order. */
const compactJson = (golden: Golden): string =>
  JSON.stringify(JSON.parse(readFileSync(fileOf(golden, "json"), "utf8")));
const protobuf = (golden: Golden): Uint8Array => readFileSync(fileOf(golden, "pb"));
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

const fromJson = (golden: Golden): unknown => decodeJson(golden.struct, compactJson(golden)).value;

/** Kind and version stand in the envelope alone; JSON has them first. */
function fromProtobuf(golden: Golden): unknown {
  const { apiVersion, kind, raw } = openEnvelope(protobuf(golden));
  return { kind, apiVersion, ...(decodeProtobuf(golden.struct, raw) as object) };
}

const toProtobuf = ({ apiVersion, kind, struct }: Golden, value: unknown): Uint8Array =>
  envelope({ apiVersion, kind, raw: encodeProtobuf(struct, value) });
