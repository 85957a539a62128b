import { expect, test } from "vitest";
import { close, fieldsTrail, leaf, open } from "./fields-trail.ts";

function fieldsOf(trail: ReturnType<typeof fieldsTrail>, ...pieces: readonly string[]) {
  trail.begin();
  for (const piece of pieces) trail.add(piece);
  return trail.end();
}

test("fieldsTrail: pieces are put together to fields", () => {
  const fields = fieldsOf(fieldsTrail(), "{", '"f:a":', leaf, ',"f:b":', open, ',"f:c":{}', "}}");
  expect(fields).toEqual({ "f:a": {}, "f:b": { ".": {}, "f:c": {} } });
});

test("fieldsTrail: what holds nothing is a leaf", () => {
  expect(fieldsOf(fieldsTrail(), '{"f:a":', open, close, close)).toEqual({ "f:a": {} });
});

test("fieldsTrail: the same pieces are the same fields, others are others", () => {
  const trail = fieldsTrail();
  const a = fieldsOf(trail, "{", '"f:a":{}', "}");
  const b = fieldsOf(trail, "{", '"f:b":{}', "}");
  expect(fieldsOf(trail, "{", '"f:a":{}', "}")).toBe(a);
  expect(fieldsOf(trail, "{", '"f:b":{}', "}")).toBe(b);
  expect(b).toEqual({ "f:b": {} });
});

test("fieldsTrail: what was gone back from is not in it", () => {
  const trail = fieldsTrail();
  trail.begin();
  trail.add('{"f:a":{}');
  const before = trail.place();
  trail.add(',"f:b":');
  trail.backTo(before);
  trail.add("}");
  expect(trail.end()).toEqual({ "f:a": {} });
});

test("fieldsTrail: is right, too, when places were forgotten", () => {
  const trail = fieldsTrail();
  for (let i = 0; i < 12_000; i++)
    expect(fieldsOf(trail, "{", `"f:${i}":{}`, "}")).toEqual({ [`f:${i}`]: {} });
});
