import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { parseDockerConfigJson, parseDockercfg } from "./docker-config.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");

each<[name: string, entry: unknown, auth: object]>([
  ["name and password", { username: "u", password: "p" }, { username: "u", password: "p" }],
  ["auth", { auth: base64("user:a:b") }, { username: "user", password: "a:b" }],
  ["unpadded auth", { auth: "dXNlcjphOmI" }, { username: "user", password: "a:b" }],
  [
    "auth comes before a name",
    { username: "other", auth: base64("u:p") },
    { username: "u", password: "p" },
  ],
  ["nothing", {}, { username: "", password: "" }],
])("a docker config holds %s", (_, entry, auth) => {
  const auths = { "quay.io": entry };
  const expected = new Map([["quay.io", auth]]);
  expect(parseDockerConfigJson(JSON.stringify({ auths, HttpHeaders: {} }))).toEqual(expected);
  expect(parseDockercfg(JSON.stringify(auths))).toEqual(expected);
});

each<[text: string, message: string]>([
  ['{"auths":', "unexpected end of JSON input"],
  ["[]", "json: cannot unmarshal array into Go value of type credentialprovider.DockerConfigJSON"],
  [
    '{"auths":"x"}',
    "json: cannot unmarshal string into Go struct field DockerConfigJSON.auths of type credentialprovider.DockerConfig",
  ],
  [
    '{"auths":{"a":{"password":7}}}',
    "json: cannot unmarshal number into Go struct field dockerConfigEntryWithAuth.password of type string",
  ],
  ['{"auths":{"a":{"auth":"?"}}}', "illegal base64 data at input byte 0"],
  [
    '{"auths":{"a":{"auth":"dXNlcg=="}}}',
    "unable to parse auth field, must be formatted as base64(username:password)",
  ],
])("parseDockerConfigJson: %s is refused", (text, message) => {
  expect(() => parseDockerConfigJson(text)).toThrow(message);
});
