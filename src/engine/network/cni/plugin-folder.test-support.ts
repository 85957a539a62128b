import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Fields, type Log, noLog } from "../../../base/log.ts";
import type { NetworkedPod } from "../../../cri/pod-network.ts";
import { realClock } from "../../../platform/real-clock.ts";
import { mustRun, runChild } from "../../../platform/run-child.ts";
import { CniNetwork, type CniNetworkOptions } from "./cni-network.ts";

/** What a plugin of a test was called with. */
export interface NotedCall {
  readonly plugin: string;
  readonly command: string;
  readonly id: string;
  readonly netns: string;
  readonly args: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Folders of configurations and of plugins that are shell scripts. */
export interface PluginFolder {
  readonly root: string;
  readonly configFolder: string;
  /** The warnings of the network. */
  readonly warnings: Fields[];
  configure(name: string, config: object): void;
  /** Writes a plugin that notes its calls, and then runs a script with the input in $input. */
  plugin(name: string, script: string): void;
  calls(): readonly NotedCall[];
  network(options?: Partial<CniNetworkOptions>): CniNetwork;
}

export function pluginFolder(): PluginFolder {
  const root = mkdtempSync(join(tmpdir(), "wherry-cni-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [configFolder, binFolder, notes] = [
    join(root, "net.d"),
    join(root, "bin"),
    join(root, "calls"),
  ];
  mkdirSync(configFolder);
  mkdirSync(binFolder);
  const warnings: Fields[] = [];
  const log: Log = { ...noLog, warn: (_, fields = {}) => void warnings.push(fields) };
  return {
    ...{ root, configFolder, warnings },
    configure: (name, config) => writeFileSync(join(configFolder, name), JSON.stringify(config)),
    plugin(name, script) {
      const path = join(binFolder, name);
      writeFileSync(
        path,
        `#!/bin/sh
input=$(cat)
printf '{"plugin":"${name}","command":"%s","id":"%s","netns":"%s","args":"%s","input":%s}\\n' "$CNI_COMMAND" "$CNI_CONTAINERID" "$CNI_NETNS" "$CNI_ARGS" "$input" >> ${notes}
${script}
`,
      );
      chmodSync(path, 0o755);
    },
    calls() {
      if (!existsSync(notes)) return [];
      const lines = readFileSync(notes, "utf8").trim().split("\n");
      return lines.map((line) => JSON.parse(line) as NotedCall);
    },
    network: (options) =>
      new CniNetwork({
        ...{ configFolder, pluginFolders: [binFolder, "/usr/lib/cni"], clock: realClock, log },
        cacheFolder: join(root, "cache"),
        ...options,
      }),
  };
}

let made = 0;

/** A pod with a network namespace that exists until the test ends. */
export async function testPod(change: Partial<NetworkedPod["config"]> = {}): Promise<NetworkedPod> {
  const name = `wherry-test-${process.pid}-${made++}`;
  await mustRun("ip", ["netns", "add", name]);
  onTestFinished(async () => {
    await runChild("ip", ["netns", "delete", name]);
  });
  return {
    sandboxId: `${process.pid.toString(16)}${made}`.padStart(64, "0"),
    namespace: `/run/netns/${name}`,
    config: {
      metadata: { name, namespace: "default", uid: "u1", attempt: 0 },
      ...{ hostname: name, hostNetwork: false, labels: {}, annotations: {} },
      ...change,
    },
  };
}
