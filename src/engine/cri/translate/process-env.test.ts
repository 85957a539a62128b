import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { mergeEnv, processEnv } from "./process-env.ts";

test("processEnv: the container wins over the image, and the image over the defaults", () => {
  expect(
    processEnv({
      tty: true,
      hostname: "web",
      image: ["PATH=/bin", "A=1", "B=x=y"],
      container: [
        { name: "A", value: "2" },
        { name: "HOSTNAME", value: "other" },
        { name: "C", value: "" },
      ],
    }),
  ).toEqual(["PATH=/bin", "TERM=xterm", "HOSTNAME=other", "A=2", "B=x=y", "C="]);
});

test("processEnv: there is always a path", () => {
  expect(processEnv({ tty: false, hostname: "h", image: [], container: [] })).toEqual([
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOSTNAME=h",
  ]);
});

each<[string[], string[], string[]]>([
  [["A=1", "B=2"], ["A"], ["B=2"]],
  [["A=1"], ["B"], ["A=1"]],
  [["A=1"], ["B=1", "B=2"], ["A=1", "B=2"]],
  [["A=1"], ["A=2", "B=3"], ["A=2", "B=3"]],
])("mergeEnv: %j with %j", (defaults, overrides, expected) => {
  expect(mergeEnv(defaults, overrides)).toEqual(expected);
});
