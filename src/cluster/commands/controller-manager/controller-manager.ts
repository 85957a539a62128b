import type { Log } from "../../../base/log.ts";
import type { SigningKey } from "../../../base/token-key.ts";
import { command } from "../../../cli/command.ts";
import { UsageError } from "../../../cli/parse-flags.ts";
import type { RateLimit } from "../../../client/rate-limited.ts";
import { chooseControllers } from "../../../controllers/choose-controllers.ts";
import {
  type ControllerModule,
  type ControllerParts,
  createParts,
} from "../../../controllers/controller-module.ts";
import { controllerModules } from "../../../controllers/controller-modules.generated.ts";
import { knownControllers } from "../../../controllers/known-controllers.ts";
import { readAuthorities, readGiven } from "../../../platform/given-files.ts";
import { signingKey } from "../../../platform/pki/token-keys.ts";
import { runComponent } from "../../component/run-component.ts";
import { ignoredFeatures } from "../../flags/ignored-features.ts";
import { notices } from "../../flags/server-flag.ts";
import { shownFlags } from "../../flags/shown-flags.ts";
import { printVersion, reportedVersion } from "../../flags/version-flag.ts";
import { logChoice, openLog } from "../../opening/open-log.ts";
import {
  configurationName,
  controllerManagerConfiguration,
} from "./flags/controller-manager-configuration.ts";
import {
  type ControllerManagerFlags,
  controllerManagerFlags,
  controllerManagerProblems,
} from "./flags/controller-manager-flags.ts";

/** Runs the controllers alone, against an API server, until it is asked to stop. */
export const controllerManagerCommand = command({
  name: "controller-manager",
  short: "Run the controllers",
  long: `Run the controllers against an API server, in the foreground.

A controller follows objects of some kinds, and changes the cluster until it is as those
objects say: it makes the pods of a replica set, removes what a deleted owner leaves behind,
notices that a node is gone. "wherry server" runs the same controllers in one process with
the API server; this command runs them alone, beside Wherry's API server or another of
Kubernetes v1.36.

Flags are those of kube-controller-manager, and mean the same; "_" may be written for "-".
Each controller's flags stand under its name. What help calls without effect yet is taken,
and a line of the log says that it changes nothing.

Of several that run, one works: the one that holds the lease kube-system/
kube-controller-manager. One that loses it ends with exit code 1, to be started anew; with
--leader-elect=false each works at once. What it does can be read at --secure-port:
/healthz, /livez and /readyz (with ?verbose) for everybody, /metrics, /configz, /flagz,
/statusz and /debug/controllers/NAME for whom the API server of --authentication-kubeconfig
and --authorization-kubeconfig knows.

Exit codes: 0 when it was asked to stop, 1 when it failed or no longer leads, 2 when it did
not understand its flags.`,
  examples: `  # Beside an API server on this machine
  wherry apiserver --data-dir ./data &
  wherry controller-manager --kubeconfig ./data/admin.kubeconfig \\
    --use-service-account-credentials --root-ca-file ./data/pki/ca.crt

  # All controllers but two
  wherry controller-manager --kubeconfig FILE --controllers='*,-deployment,-replicaset'`,
  flags: controllerManagerFlags,
  async run({ flags, given, streams, signal }) {
    if (printVersion(flags.version, streams.stdout)) return 0;
    const problems = controllerManagerProblems(flags, given);
    const ignored = await ignoredFeatures(flags["feature-gates"], problems);
    if (problems.length > 0) throw new UsageError(problems);
    const log = openLog(logChoice(flags));
    for (const warning of [...notices(controllerManagerFlags, given), ...ignored])
      log.warn("flag warning", { warning });
    const shown = shownFlags(controllerManagerFlags, flags);
    log.info("starting", { version: reportedVersion(flags.version) });
    log.debug("flags", shown);
    const chosen = chooseControllers(controllerModules, flags.controllers);
    logChoices(chosen, flags, log);
    const limit = { qps: flags["kube-api-qps"], burst: flags["kube-api-burst"] };
    const debug = new Map<string, NonNullable<ControllerParts["debug"]>>();
    return runComponent(
      {
        name: "kube-controller-manager",
        flags,
        connection: flags,
        limit,
        limitOf: (account) => limitOf(account, limit),
        usesAccounts: flags["use-service-account-credentials"],
        pages: {
          configuration: { [configurationName]: controllerManagerConfiguration(flags) },
          flags: shown,
          debug,
        },
        manager: {
          eventApi: "core",
          healthChecks: Object.fromEntries(chosen.map(({ name }) => [name, () => {}])),
          // 0 is as long as it takes.
          gracePeriodMs: flags["controller-shutdown-timeout"] || 2 ** 31 - 1,
        },
        async add(manager, { authorities }) {
          const inputs = {
            rootCa: (await rootCa(flags)) ?? authorities ?? "",
            tokenSigner: await tokenSigner(flags),
          };
          for (const module of chosen) {
            const parts = createParts(module, { values: flags, inputs });
            for (const one of parts?.run ?? []) manager.add(one);
            if (parts?.debug) debug.set(module.name, parts.debug);
          }
        },
        log,
      },
      { signal, streams },
    );
  },
});

/** The limit of an account whose controller has more to do than others. */
function limitOf(name: string, { qps, burst }: RateLimit): RateLimit | undefined {
  const { rateLimit } =
    controllerModules.find((one) => (one.account ?? one.name) === name && one.rateLimit) ?? {};
  return rateLimit && { qps: qps * rateLimit.qps, burst: burst * rateLimit.burst };
}

/** Says which controllers run, and which do not. */
function logChoices(
  chosen: readonly ControllerModule[],
  { controllers: words }: ControllerManagerFlags,
  log: Log,
): void {
  const asked = chooseControllers(knownControllers, words).map(nameOf);
  const present = new Set(controllerModules.map(nameOf));
  const say = (message: string, names: readonly string[]): void => {
    if (names.length > 0) log.info(message, { controllers: names.join(", ") });
  };
  say("controllers run", chosen.map(nameOf));
  say(
    "controllers are disabled",
    knownControllers.map(nameOf).filter((name) => !asked.includes(name)),
  );
  say(
    "controllers are not part of this version",
    asked.filter((name) => !present.has(name)),
  );
}

const nameOf = ({ name }: { readonly name: string }): string => name;

async function tokenSigner(flags: ControllerManagerFlags): Promise<SigningKey | undefined> {
  const flag = "service-account-private-key-file";
  const path = flags[flag];
  if (path === "") return undefined;
  const pem = await readGiven({ flag, path });
  try {
    return signingKey(pem);
  } catch (cause) {
    throw new Error(`error reading private key file ${path}`, { cause });
  }
}

async function rootCa(flags: ControllerManagerFlags): Promise<string | undefined> {
  const path = flags["root-ca-file"];
  return path === "" ? undefined : readAuthorities({ flag: "root-ca-file", path });
}
