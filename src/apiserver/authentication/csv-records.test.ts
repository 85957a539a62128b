import { expect, test } from "vitest";
import { csvRecords } from "./csv-records.ts";

const texts: [text: string, records: string[][]][] = [
  ["", []],
  ["\n\r\n\n", []],
  ["a,b\nc", [["a", "b"], ["c"]]],
  [
    "a,\r\n,b\r",
    [
      ["a", ""],
      ["", "b"],
    ],
  ],
  [" a, b ", [[" a", " b "]]],
  ['"a,""b""",c\n', [['a,"b"', "c"]]],
  ['"a\r\nb\n\nc",""\nd', [["a\nb\n\nc", ""], ["d"]]],
  ['"",\n""', [["", ""], [""]]],
];
test.each(texts)("csvRecords: %j", (text, records) => {
  expect([...csvRecords(text)]).toEqual(records);
});

const faults: [text: string, message: string][] = [
  ['a,b"c', 'parse error on line 1, column 4: bare " in non-quoted-field'],
  ['\né,"x', 'parse error on line 2, column 6: extraneous or missing " in quoted-field'],
  ['é,"x"y', 'parse error on line 1, column 6: extraneous or missing " in quoted-field'],
  [
    'a\n"x\ny"z',
    'record on line 2; parse error on line 3, column 2: extraneous or missing " in quoted-field',
  ],
  ['"x\n', 'parse error on line 1, column 4: extraneous or missing " in quoted-field'],
];
test.each(faults)("csvRecords: %j is none", (text, message) => {
  expect(() => [...csvRecords(text)]).toThrow(new Error(message));
});
