import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { command } from "../../../cli/command.ts";
import { boolFlag, stringFlag, stringsFlag } from "../../../cli/flag.ts";
import { UsageError } from "../../../cli/parse-flags.ts";
import { parseCidr } from "../../../schema/values/ip.ts";
import { installPlugins, writeConfiguration } from "./install-plugins.ts";

/** Installs the plugins on this machine. */
export const installCommand = command({
  name: "install",
  short: "Install the plugins, and a configuration",
  long: `Copy the program wherry-cni to the folder of the runtime's CNI plugins, with a link for each plugin, and
with --pod-cidr write a configuration by which the built-in network connects pods.

Plugins of others with the same names stay, unless --force is given: a runtime then finds theirs.`,
  examples: `  # A node with containerd, in a cluster that routes 10.244.1.0/24 to it
  wherry cni install --pod-cidr 10.244.1.0/24`,
  flags: {
    "bin-dir": stringFlag({
      usage: "the `FOLDER` of the runtime's plugins",
      default: "/opt/cni/bin",
    }),
    "conf-dir": stringFlag({
      usage: "the `FOLDER` of the runtime's configurations",
      default: "/etc/cni/net.d",
    }),
    "pod-cidr": stringsFlag({
      usage:
        "the `RANGES` of the pods' addresses on this machine, one of each family; without it no configuration is written",
    }),
    force: boolFlag({ usage: "replace plugins of others that have the same names" }),
  },
  async run({ flags, streams }) {
    const { "bin-dir": binDir, "conf-dir": confDir, "pod-cidr": podCidrs } = flags;
    const problems = podCidrs
      .filter((text) => parseCidr(text) === undefined)
      .map(
        (text) => `invalid --pod-cidr ${JSON.stringify(text)}: want a range, such as 10.244.1.0/24`,
      );
    if (problems.length > 0) throw new UsageError(problems);
    const program = join(dirname(realpathSync(process.argv[1] ?? "")), "wherry-cni.cjs");
    const { installed, kept } = await installPlugins({ program, binDir, force: flags.force });
    streams.stdout.write(`installed in ${binDir}: ${installed.join(", ")}\n`);
    if (kept.length > 0)
      streams.stderr.write(
        `${kept.join(", ")} in ${binDir} are not ours and stay; --force replaces them\n`,
      );
    if (podCidrs.length > 0)
      streams.stdout.write(`wrote ${await writeConfiguration(confDir, podCidrs)}\n`);
    return 0;
  },
});
