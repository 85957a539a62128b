import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { factsFolder } from "../../../../test/facts.ts";
import { decodeJson } from "../../../schema/json/decode.ts";
import { encodeJson } from "../../../schema/json/json.ts";
import type { Struct } from "../../../schema/language/struct.ts";
import { envelope, openEnvelope } from "../../../schema/protobuf/envelope.ts";
import { encodeProtobuf } from "../../../schema/protobuf/protobuf.ts";
import { decodeProtobuf } from "../../../schema/protobuf/protobuf-decode.ts";
import { TokenRequest } from "../../authentication/v1/token-request.ts";
import { AdmissionReview } from "./admission-review.ts";

const structs: readonly [apiVersion: string, kind: string, struct: Struct][] = [
  ["admission.k8s.io/v1", "AdmissionReview", AdmissionReview],
  ["authentication.k8s.io/v1", "TokenRequest", TokenRequest],
];

describe("the object with every field set:", () => {
  test.each(structs)("%s %s: JSON and protobuf are upstream's", (apiVersion, kind, struct) => {
    const file = join(factsFolder, "golden", `${apiVersion.replace("/", ".")}.${kind}`);
    const json = JSON.stringify(JSON.parse(readFileSync(`${file}.json`, "utf8")));
    const protobuf = readFileSync(`${file}.pb`);
    const fromProtobuf = decodeProtobuf(struct, openEnvelope(protobuf).raw) as object;
    const written = encodeProtobuf(struct, decodeJson(struct, json).value);
    expect({
      json: encodeJson(struct, { kind, apiVersion, ...fromProtobuf }),
      protobuf: Buffer.from(envelope({ apiVersion, kind, raw: written })).toString("hex"),
    }).toEqual({ json, protobuf: protobuf.toString("hex") });
  });
});
