import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { hasFormat, isKnownFormat } from "./formats.ts";

each<[format: string, good: string[], bad: string[]]>([
  ["bsonobjectid", ["507f1f77bcf86cd799439011"], ["507f"]],
  ["uri", ["https://a.example/x?y", "/a", "mailto:x@y"], ["a b", "x"]],
  ["email", ["a@b.example", "Ann <a@b.example>", "a@localhost"], ["a", "a@", "@b", "a b@c"]],
  ["hostname", ["a.example", "a-b", "1a.example"], ["a_b", "-a", "a.b1"]],
  ["ipv4", ["1.2.3.4", "01.2.3.4"], ["1.2.3", "::1"]],
  ["ipv6", ["::1", "fe80::"], ["1.2.3.4", ":::"]],
  ["cidr", ["10.0.0.0/8", "::/0"], ["10.0.0.0", "10.0.0.0/33"]],
  ["mac", ["00:11:22:33:44:55", "0011.2233.4455"], ["00:11:22:33:44", "00:11-22:33:44:55"]],
  ["uuid", ["123E4567-e89b-12d3-a456-426614174000"], ["123e4567"]],
  ["uuid4", ["123e4567-e89b-42d3-a456-426614174000"], ["123e4567-e89b-12d3-a456-426614174000"]],
  ["isbn", ["0321751043", "978-0321751041"], ["0321751044", "978-0321751042"]],
  ["creditcard", ["4111 1111 1111 1111"], ["4111 1111 1111 1112"]],
  ["ssn", ["111-22-3333"], ["111-22-333"]],
  ["hexcolor", ["#FFF", "00ff00"], ["#FFFF"]],
  ["rgbcolor", ["rgb(0,0,255)"], ["rgb(0,0,256)"]],
  ["byte", ["YQ==", "YWJj"], ["YQ", "a b="]],
  ["password", ["anything"], []],
  ["date", ["2024-02-29"], ["2023-02-29", "2024-2-9"]],
  ["duration", ["1h30m", "22 ns", "3 days", "in 2 Weeks"], ["soon", "3 moons"]],
  [
    "date-time",
    ["2024-02-29T10:00:00Z", "2024-02-29T10:00:00.5+02:00", "2024-02-29t10:00:00z"],
    ["2024-02-29", "2024-02-30T10:00:00Z", "2024-02-29T10:00:00", "2024-02-29T24:00:00Z"],
  ],
  ["k8s-short-name", ["a-1"], ["a.b", "A"]],
  ["k8s-long-name", ["a.b"], ["a..b"]],
])("hasFormat: %s", (format, good, bad) => {
  const accepted = [...good, ...bad].filter((text) => hasFormat(format, text));
  expect(accepted).toEqual(good);
});

test("isKnownFormat: by type", () => {
  const known = [
    ["int32", "integer"],
    ["float", "number"],
    ["date-time", "string"],
    ["datetime", ""],
    ["int32", "string"],
    ["double", "integer"],
    ["uuid", "object"],
  ].map(([format = "", type = ""]) => isKnownFormat(format, type));
  expect(known).toEqual([true, true, true, true, false, false, false]);
});
