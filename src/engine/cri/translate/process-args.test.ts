import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import type { ImageRunConfig } from "../../images/stored-image.ts";
import { processArgs } from "./process-args.ts";

each<[command: string[], args: string[], image: ImageRunConfig, expected: string[]]>([
  [[], [], { Entrypoint: ["/entry"], Cmd: ["a"] }, ["/entry", "a"]],
  [[], ["ls"], { Entrypoint: ["/entry"], Cmd: ["a"] }, ["/entry", "ls"]],
  [["/bin/x"], [], { Entrypoint: ["/entry"], Cmd: ["a"] }, ["/bin/x"]],
  [["/bin/x"], ["b"], { Entrypoint: ["/entry"], Cmd: ["a"] }, ["/bin/x", "b"]],
  [[], [], { Entrypoint: [""], Cmd: ["a"] }, ["a"]],
  [[], [], { Entrypoint: null, Cmd: ["a", "b"] }, ["a", "b"]],
  [[], ["c"], {}, ["c"]],
])("processArgs: %j %j in %j", (command, args, image, expected) => {
  expect(processArgs({ command, args }, image)).toEqual(expected);
});

test("processArgs: there must be a command", () => {
  expect(() => processArgs({ command: [], args: [] }, { Cmd: null })).toThrow(
    /^no command specified$/,
  );
});
