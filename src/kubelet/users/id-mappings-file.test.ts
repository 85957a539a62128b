import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { formatIdMappings, parseIdMappings } from "./id-mappings-file.ts";

test("formatIdMappings: as upstream writes it, and as it is read", () => {
  const text = formatIdMappings(131_072, 65_536);
  const mapping = '[{"hostId":131072,"containerId":0,"length":65536}]';
  expect(text).toBe(`{"uidMappings":${mapping},"gidMappings":${mapping}}`);
  expect(parseIdMappings(text)).toEqual({ hostId: 131_072, containerId: 0, length: 65_536 });
  expect(parseIdMappings("")).toBeUndefined();
});

const one = { hostId: 131_072, containerId: 0, length: 65_536 };
const invalid = "invalid user namespace configuration:";

each<[object, message: string]>([
  [{ uidMappings: [], gidMappings: [] }, `${invalid} no more than one mapping allowed.`],
  [{ uidMappings: [one, one], gidMappings: [one] }, `${invalid} no more than one mapping allowed.`],
  [{ uidMappings: [one] }, `${invalid} GID and UID mappings should be identical.`],
  [
    { uidMappings: [one], gidMappings: [{ ...one, hostId: 65_536 }] },
    `${invalid} GID and UID mapping should be identical`,
  ],
  [
    { uidMappings: [{ ...one, containerId: 1 }], gidMappings: [{ ...one, containerId: 1 }] },
    `${invalid} UID 0 must be mapped`,
  ],
])("parseIdMappings: rejects %j", (content, message) => {
  expect(() => parseIdMappings(JSON.stringify(content))).toThrow(new Error(message));
});

each<[string]>([["{"], ["null"], ['{"uidMappings":1}'], ['{"uidMappings":[null]}']])(
  "parseIdMappings: rejects %s",
  (text) => {
    expect(() => parseIdMappings(text)).toThrow(/^invalid user namespace mappings file: /);
  },
);
