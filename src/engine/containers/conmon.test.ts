import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { conmonArguments, conmonReport } from "./conmon.ts";
import { OciRuntime, runtimeMessage } from "./oci-runtime.ts";

const container = {
  ...{ id: "abc", bundle: "/c/abc/bundle", folder: "/c/abc", exitFolder: "/run/exits" },
  ...{ logPath: "/c/abc/log", stdin: false, stdinOnce: false, tty: false },
};
const runtime = new OciRuntime({
  program: "/sbin/runc",
  root: "/run/oci",
  cgroupManager: "cgroupfs",
});

test("conmonArguments: names the runtime with its flags, the bundle, the log and the folders of the end", () => {
  expect(conmonArguments(runtime, container).join(" ")).toBe(
    "--api-version 1 -c abc -u abc -n abc -r /sbin/runc --runtime-arg --root=/run/oci " +
      "-b /c/abc/bundle -p /c/abc/pid -P /c/abc/conmon-pid -l k8s-file:/c/abc/log " +
      "--exit-dir /run/exits --persist-dir /c/abc --full-attach --no-sync-log",
  );
});

type Row = [title: string, changes: Partial<typeof container>, more: readonly string[]];
each<Row>([
  ["input stays open for the next client", { stdin: true }, ["-i", "--leave-stdin-open"]],
  ["input of one client ends with it", { stdin: true, stdinOnce: true }, ["-i"]],
  ["a terminal", { tty: true }, ["-t"]],
])("conmonArguments: %s", (_title, changes, more) => {
  const plain = conmonArguments(runtime, container).length;
  expect(conmonArguments(runtime, { ...container, ...changes }).slice(plain)).toEqual(more);
});

each<[report: string, expected: ReturnType<typeof conmonReport>]>([
  ['{"data": 42}\n', { pid: 42, message: "" }],
  [
    '{"data": -1, "message": "time=\\"2026-01-01T00:00:00Z\\" level=error msg=\\"runc create failed: exec: \\\\\\"x\\\\\\": not found\\"\\n"}',
    { message: 'runc create failed: exec: "x": not found' },
  ],
  ["", { message: "" }],
])("conmonReport: %s", (report, expected) => {
  expect(conmonReport(report)).toEqual(expected);
});

each<[output: string, message: string]>([
  [
    'time="t" level=warning msg="old"\ntime="t" level=error msg="no such container"\n',
    "no such container",
  ],
  ["container does not exist\n", "container does not exist"],
  ["", ""],
])("runtimeMessage: %s", (output, message) => {
  expect(runtimeMessage(output)).toBe(message);
});
