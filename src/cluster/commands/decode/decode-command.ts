import { readFileSync } from "node:fs";
import { command } from "../../../cli/command.ts";
import { choiceFlag } from "../../../cli/flag.ts";
import { type Format, formats, ObjectReader } from "./decode-objects.ts";

/** Shows objects in another format: what is in a store, a backup or a manifest. */
export const decodeCommand = command({
  name: "decode",
  short: "Convert objects between YAML, JSON and protobuf",
  long: `Read objects as JSON, YAML or Kubernetes' protobuf, and print them in another format.

Files are read in order, or standard input where there are none, or for "-". The format
is recognised. Objects of kinds that are known are read by their declaration: what is
wrong is named with its place, and the exit code is 1. Others pass through unchanged,
but not to or from protobuf.`,
  arguments: "[FILE…]",
  arity: { max: Number.POSITIVE_INFINITY },
  examples: `  # Look at a value as it stands in etcd
  etcdctl get /registry/pods/default/web --print-value-only | wherry decode -o yaml

  # Make protobuf of a manifest
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
