import { hostPort } from "../../../base/network.ts";
import { aborted } from "../../../base/on-abort.ts";
import type { CommandContext } from "../../../cli/command.ts";
import type { Flags } from "../../../cli/flag.ts";
import { printVersion } from "../../flags/version-flag.ts";
import { type FileValues, readConfigFile } from "../../opening/config-file.ts";
import type { RunningServer } from "../apiserver/apiserver.ts";
import type { GivenFlags } from "../apiserver/apiserver-options.ts";
import type { ApiserverFlags } from "../apiserver/flags/apiserver-flags.ts";

/** Runs a server in the foreground with the flags of a command line and its file, until a signal stops it. */
export async function serveUntilStopped(
  { flags, given, streams, signal }: CommandContext<Flags>,
  known: Flags,
  start: (given: GivenFlags) => Promise<RunningServer & { readonly failed?: Promise<never> }>,
): Promise<number> {
  const values = flags as ApiserverFlags;
  if (printVersion(values.version, streams.stdout)) return 0;
  const fromFile = values.config && (await readConfigFile(values.config, known));
  const server = await start(
    fromFile ? underlaid(fromFile, values, given) : { flags: values, given },
  );
  streams.stdout.write(
    `ready: https://${hostPort(server.host, server.port)}\n` +
      `to use it: export KUBECONFIG=${server.kubeconfig}\n`,
  );
  try {
    await Promise.race([aborted(signal), ...(server.failed ? [server.failed] : [])]);
  } finally {
    await server.close();
  }
  return 0;
}

/** The flags of a command line, merged with those of a file; the command line wins. */
function underlaid(
  file: FileValues,
  flags: ApiserverFlags,
  given: ReadonlySet<string>,
): GivenFlags {
  const values: Record<string, unknown> = { ...flags };
  for (const [name, value] of file) if (!given.has(name)) values[name] = value;
  return { flags: values as unknown as ApiserverFlags, given: new Set([...given, ...file.keys()]) };
}
