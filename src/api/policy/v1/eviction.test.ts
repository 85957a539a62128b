import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { factsFolder } from "../../../../test/facts.ts";
import { decodeJson } from "../../../schema/json/decode.ts";
import { encodeJson } from "../../../schema/json/json.ts";
import { envelope } from "../../../schema/protobuf/envelope.ts";
import { encodeProtobuf } from "../../../schema/protobuf/protobuf.ts";
import { Eviction } from "./eviction.ts";

test("Eviction: JSON and protobuf are upstream's", () => {
  const file = join(factsFolder, "golden", "policy.v1.Eviction");
  const json = JSON.stringify(JSON.parse(readFileSync(`${file}.json`, "utf8")));
  const { value } = decodeJson(Eviction, json);
  const raw = encodeProtobuf(Eviction, value);
  expect(encodeJson(Eviction, value)).toEqual(json);
  expect(Buffer.from(envelope({ apiVersion: "policy/v1", kind: "Eviction", raw }))).toEqual(
    readFileSync(`${file}.pb`),
  );
});
