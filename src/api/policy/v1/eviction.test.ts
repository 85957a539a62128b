import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { requires, sharedFacts, testWith } from "../../../../test/requires.ts";
import { decodeJson } from "../../../schema/decode.ts";
import { envelope } from "../../../schema/envelope.ts";
import { encodeJson } from "../../../schema/json.ts";
import { encodeProtobuf } from "../../../schema/protobuf.ts";
import { Eviction } from "./eviction.ts";

testWith(requires("shared facts"))("Eviction: JSON and protobuf are upstream's", () => {
  const file = join(sharedFacts, "golden", "policy.v1.Eviction");
  const json = JSON.stringify(JSON.parse(readFileSync(`${file}.json`, "utf8")));
  const { value } = decodeJson(Eviction, json);
  const raw = encodeProtobuf(Eviction, value);
  expect(encodeJson(Eviction, value)).toEqual(json);
  expect(Buffer.from(envelope({ apiVersion: "policy/v1", kind: "Eviction", raw }))).toEqual(
    readFileSync(`${file}.pb`),
  );
});
