import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { Query } from "../request/query.ts";
import { logQuery, podLogOptions } from "./connect-options.ts";

const split = new Set(["PodLogsQuerySplitStreams"]);
const invalid = 'PodLogOptions "p" is invalid: ';

each<[query: string, features: ReadonlySet<string>, wanted: unknown]>([
  ["", new Set(), []],
  ["stream=Stdout", new Set(), `${invalid}stream: Forbidden: may not be specified`],
  ["", split, [["stream", "All"]]],
  ["stream=Stderr", split, [["stream", "Stderr"]]],
  [
    "stream=x",
    split,
    `${invalid}stream: Unsupported value: "x": supported values: "All", "Stderr", "Stdout"`,
  ],
  [
    "stream=Stderr&tailLines=1",
    split,
    `${invalid}[]: Forbidden: \`tailLines\` and specific \`stream\` are mutually exclusive for now`,
  ],
])("podLogOptions: %s with features %j", (text, features, wanted) => {
  const read = (): unknown => {
    try {
      return logQuery(podLogOptions(new Query(text), "p", features));
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(read()).toEqual(wanted);
});
