import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { command } from "../../../cli/command.ts";
import { intFlag, stringFlag, stringsFlag } from "../../../cli/flag.ts";
import { UsageError } from "../../../cli/parse-flags.ts";
import { controllerListProblems } from "../../../controllers/known-controllers.ts";
import { assetScripts } from "./asset-scripts.ts";
import { writeScripts } from "./write-scripts.ts";

/** Prints a folder with the programs that Go's envtest starts. */
export const envtestCommand = command({
  name: "envtest",
  short: "Run an operator's Go tests on Wherry",
  long: `Print a folder with the three programs that envtest, the test environment of
controller-runtime, starts: kube-apiserver, etcd and kubectl. All are Wherry, and accept the flags of
the originals. With KUBEBUILDER_ASSETS set to the folder, the tests of an operator that was made with
kubebuilder or the Operator SDK run on Wherry as they are.

Each test environment gets processes, ports and data of its own, so that packages can be tested in
parallel. Data is where envtest wants it, in a folder that it removes at the end; it is not
synced to disk, as tests do not outlive the machine.

As with the originals, only the API server runs: no controller deletes the children of a deleted
object, and no pod is created for a deployment. With --controllers, Wherry's controllers
and scheduler run beside each API server, and with --nodes pods become ready on simulated nodes.

The folder has a few lines of shell for each program, and is printed again for the same options. The
output is one line, for use in $(...).`,
  examples: `  KUBEBUILDER_ASSETS=$(wherry envtest) go test ./...

  # In the Makefile of kubebuilder, in place of setup-envtest
  test: ; KUBEBUILDER_ASSETS="$$(npx wherry envtest)" go test ./... -coverprofile cover.out

  # With controllers, or with some, and with nodes on which pods become ready
  KUBEBUILDER_ASSETS=$(wherry envtest --controllers --nodes 1) go test ./...
  KUBEBUILDER_ASSETS=$(wherry envtest --controllers=garbage-collector-controller) go test ./...

  # The output of the servers, when a test environment does not start
  KUBEBUILDER_ATTACH_CONTROL_PLANE_OUTPUT=true KUBEBUILDER_ASSETS=$(wherry envtest) go test ./...`,
  flags: {
    controllers: {
      ...stringsFlag({
        usage:
          "run controllers and the scheduler, too: all, or the `NAMES` after = (as of wherry controller-manager; '-foo' excludes one)",
      }),
      implied: "*",
    },
    nodes: intFlag({ usage: "the number of simulated nodes; needs --controllers" }),
    dir: stringFlag({
      usage:
        "the `DIR` to write the programs to (default: a directory below $XDG_CACHE_HOME/wherry or ~/.cache/wherry)",
    }),
  },
  async run({ flags: { controllers, nodes, dir }, given, streams }) {
    const problems = [
      ...(process.platform === "win32" ? ["envtest is supported on Linux and macOS only"] : []),
      ...(nodes < 0 ? ["--nodes must not be negative"] : []),
      ...(nodes > 0 && !given.has("controllers")
        ? ["--nodes needs --controllers: without a scheduler no pod gets to a node"]
        : []),
      ...controllerListProblems(controllers),
    ];
    if (problems.length > 0) throw new UsageError(problems);
    const scripts = assetScripts({
      wherry: [process.execPath, ...process.execArgv, realpathSync(process.argv[1] ?? "")],
      ...(given.has("controllers") && { controllers, nodes }),
    });
    const folder = dir === "" ? cacheFolder(scripts) : resolve(dir);
    await writeScripts(folder, scripts);
    streams.stdout.write(`${folder}\n`);
    return 0;
  },
});

/** A folder for exactly these scripts: a test that runs never finds them changed. */
function cacheFolder(scripts: ReadonlyMap<string, string>): string {
  const cache = process.env.XDG_CACHE_HOME || join(process.env.HOME || homedir(), ".cache");
  const hash = createHash("sha256").update(JSON.stringify([...scripts]));
  return join(cache, "wherry", "envtest", hash.digest("hex").slice(0, 16));
}
