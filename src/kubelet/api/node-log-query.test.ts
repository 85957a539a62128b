import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { parseNodeLogQuery, refuseNodeLogQuery } from "./node-log-query.ts";

/** The status and text of a refusal, or what was understood. */
function read(text: string): unknown {
  const query = parseNodeLogQuery(new URLSearchParams(text));
  if (query === undefined) return undefined;
  const refusal = "status" in query ? query : refuseNodeLogQuery(query);
  return refusal ? `${refusal.status} ${String(refusal.body).trim()}` : query;
}

each<[query: string, wanted: unknown]>([
  ["", undefined],
  ["other=1", undefined],
  ["query=kubelet", expect.objectContaining({ services: ["kubelet"], files: [] })],
  ["query=a/b.log", expect.objectContaining({ services: [], files: ["a/b.log"] })],
  [
    "query=a&query=b&sinceTime=2026-01-02T03:04:05Z&tailLines=5&boot=-1&pattern=x",
    expect.objectContaining({
      ...{ services: ["a", "b"], since: Date.UTC(2026, 0, 2, 3, 4, 5), tailLines: 5 },
      ...{ boot: -1, pattern: "x" },
    }),
  ],
  ["query=+", '400 query: Invalid value: [" "]: may not be empty'],
  ["query=a&sinceTime=x", '400 sinceTime: Invalid value: "x": invalid time format'],
  [
    "query=a&boot=x&tailLines=y",
    '400 [boot: Invalid value: "x": strconv.Atoi: parsing "x": invalid syntax, tailLines: Invalid value: "y": strconv.Atoi: parsing "y": invalid syntax]',
  ],
  ["tailLines=1", "406 query: Required value: cannot be empty with options"],
  ["query=a;b", '406 query: Invalid value: "a;b": input contains unsupported characters'],
  ["query=a&query=b&query=c&query=d&query=e", "406 query: Too many: 5: must have at most 4 items"],
  ["query=a&query=/b", '406 query: Invalid value: "[/b], [a]": cannot specify a file and service'],
  ["query=/a&query=/b", '406 query: Invalid value: ["/a","/b"]: cannot specify more than one file'],
  ["query=/a&boot=0", '406 query: Invalid value: ["/a"]: cannot specify file with options'],
  ["query=a&boot=1", "406 boot: Invalid value: 1: must be less than 1"],
  [
    "query=a&tailLines=100001",
    "406 tailLines: Invalid value: 100001: must be between 0 and 100000, inclusive",
  ],
  [
    "query=a&pattern=(",
    '406 pattern: Invalid value: "(": error parsing regexp: missing closing ): `(`',
  ],
])("node log query: %s", (query, wanted) => {
  expect(read(query)).toEqual(wanted);
});
