import { readFileSync } from "node:fs";
import { command } from "../../../cli/command.ts";
import { choiceFlag } from "../../../cli/flag.ts";
import { type Format, formats, ObjectReader } from "./decode-objects.ts";

/** Converts objects of a store, a backup or a manifest to another format. */
export const decodeCommand = command({
  name: "decode",
  short: "Convert objects between YAML, JSON and protobuf",
  long: `Read objects as JSON, YAML or Kubernetes' protobuf, and print them in another format.

Files are read in order; without files, or for "-", standard input is read. The format is
detected. Objects of known kinds are checked against their declaration: errors are reported
with their position, and the exit code is 1. Objects of other kinds are printed unchanged,
but cannot be converted to or from protobuf.`,
  arguments: "[FILE…]",
  arity: { max: Number.POSITIVE_INFINITY },
  examples: `  # Decode a value of etcd
  etcdctl get /registry/pods/default/web --print-value-only | wherry decode -o yaml

  # Encode a manifest as protobuf
  wherry decode -o protobuf pod.yaml > pod.pb`,
  flags: {
    output: choiceFlag({
      short: "o",
      usage: "the output `FORMAT`: json, yaml or protobuf",
      choices: formats,
      default: "json",
    }),
  },
  async run({ flags, args, streams }) {
    const names = args.length > 0 ? args : ["-"];
    const reader = new ObjectReader(flags.output as Format);
    let failed = false;
    for (const name of names) {
      const fault = reader.read(name, () => readFileSync(name === "-" ? 0 : name));
      if (fault === undefined) continue;
      streams.stderr.write(`Error: ${fault}\n`);
      failed = true;
    }
    const { output, fault } = reader.finish();
    if (fault !== undefined) {
      streams.stderr.write(`Error: ${fault}\n`);
      return 1;
    }
    if (typeof output === "string") streams.stdout.write(output);
    else process.stdout.write(output);
    return failed ? 1 : 0;
  },
});
