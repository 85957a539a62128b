import { expect, test } from "vitest";
import { requestedPorts } from "./requested-ports.ts";

test.each<[string[], readonly number[] | string]>([
  [["80"], [80]],
  [
    ["80,81", "65535"],
    [80, 81, 65535],
  ],
  [[], 'query parameter "port" is required'],
  [[""], 'query parameter "port" cannot be empty'],
  [["0"], 'port "0" must be > 0'],
  [["80,a"], 'unable to parse "80,a" as a port: strconv.ParseUint: parsing "a": invalid syntax'],
  [
    ["65536"],
    'unable to parse "65536" as a port: strconv.ParseUint: parsing "65536": value out of range',
  ],
])("requestedPorts: %j", (values, expected) => {
  expect(requestedPorts(values)).toEqual(expected);
});
