import type { SigningKey } from "../../../base/cryptography/token-key.ts";
import type { Log } from "../../../base/log.ts";
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
import { readGiven } from "../../../platform/given-files.ts";
import { hmacSha256 } from "../../../platform/hmac-sha256.ts";
import { signingKey } from "../../../platform/pki/token-keys.ts";
import { runComponent } from "../../component/run-component.ts";
import { profilePages } from "../../debugging/profile-pages.ts";
import { chooseFeatures, heededFeatures } from "../../flags/ignored-features.ts";
import { metricSelection } from "../../flags/metrics-flags.ts";
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
import { followRootCa } from "./follow-root-ca.ts";
import { openSigners } from "./open-signers.ts";
import { startAfter } from "./start-after.ts";

/** Runs only the controllers, against an API server, until a signal stops it. */
export const controllerManagerCommand = command({
  name: "controller-manager",
  short: "Run the controllers",
  long: `Run the controllers against an API server, in the foreground.

A controller watches objects of some kinds, and reconciles the cluster with them: it creates
the pods of a replica set, deletes the dependents of deleted objects, and marks nodes that
stopped responding. "wherry server" runs the same controllers in one process with the API
server. This command runs only the controllers, against Wherry's API server or another one of
Kubernetes v1.36.

The flags are those of kube-controller-manager, with the same meaning; "_" may be used instead
of "-". The flags of each controller are listed under its name. Flags that have no effect yet
are accepted, and a warning is logged.

If several controller managers run, only the leader works: the one that holds the lease
kube-system/kube-controller-manager. A process that loses the lease exits with code 1 and
should be restarted; with --leader-elect=false there is no election. --secure-port serves
/healthz, /livez and /readyz (with ?verbose) to everybody. /metrics, /configz, /flagz,
/statusz and /debug/controllers/NAME are for users that the API servers of
--authentication-kubeconfig and --authorization-kubeconfig authenticate and authorize.

Exit codes: 0 when stopped, 1 when it failed or lost its lease, 2 when the flags are invalid.`,
  examples: `  # With an API server on this machine
  wherry apiserver --data-dir ./data &
  wherry controller-manager --kubeconfig ./data/admin.kubeconfig \\
    --use-service-account-credentials --root-ca-file ./data/pki/ca.crt

  # Run all controllers except two
  wherry controller-manager --kubeconfig FILE --controllers='*,-deployment,-replicaset'`,
  flags: controllerManagerFlags,
  async run({ flags, given, streams, signal }) {
    if (printVersion(flags.version, streams.stdout)) return 0;
    const problems = controllerManagerProblems(flags, given);
    const gates = flags["feature-gates"];
    const { features, warnings } = await chooseFeatures(gates, problems, heededFeatures);
    if (problems.length > 0) throw new UsageError(problems);
    const metrics = await metricSelection(flags);
    const log = openLog(logChoice(flags));
    const missing = missingKey(flags);
    for (const warning of [...notices(controllerManagerFlags, given), ...warnings, ...missing])
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
        metrics,
        connection: flags,
        limit,
        limitOf: (account) => limitOf(account, limit),
        usesAccounts: flags["use-service-account-credentials"],
        pages: {
          configuration: { [configurationName]: controllerManagerConfiguration(flags) },
          flags: shown,
          debug,
          ...(flags.profiling && { profiles: profilePages() }),
        },
        manager: {
          eventApi: "core",
          healthChecks: Object.fromEntries(chosen.map(({ name }) => [name, () => {}])),
          // 0 means no limit.
          gracePeriodMs: flags["controller-shutdown-timeout"] || 2 ** 31 - 1,
        },
        async add(manager, { authorities }) {
          const { signers, follow } = await openSigners(flags);
          if (Object.keys(signers).length > 0) manager.add(follow);
          const rootCa = await followRootCa(flags, authorities);
          manager.add(rootCa.follow);
          const inputs = {
            rootCa: rootCa.value,
            tokenSigner: await tokenSigner(flags),
            certificateSigners: signers,
            hmacSha256,
            features,
          };
          for (const module of chosen) {
            const parts = createParts(module, { values: flags, inputs });
            if (parts) startAfter(flags["controller-start-interval"], { module, parts, manager });
            if (parts?.debug) debug.set(module.name, parts.debug);
          }
        },
        log,
      },
      { signal, streams },
    );
  },
});

/** Another process may be signing the tokens of service accounts. */
const missingKey = (flags: ControllerManagerFlags): readonly string[] =>
  flags["use-service-account-credentials"] && flags["service-account-private-key-file"] === ""
    ? [
        "--use-service-account-credentials was specified without providing a --service-account-private-key-file",
      ]
    : [];

/** The request limit of an account whose controller needs more than the others. */
function limitOf(name: string, { qps, burst }: RateLimit): RateLimit | undefined {
  const { rateLimit } =
    controllerModules.find((one) => (one.account ?? one.name) === name && one.rateLimit) ?? {};
  return rateLimit && { qps: qps * rateLimit.qps, burst: burst * rateLimit.burst };
}

/** Logs which controllers run, and which do not. */
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
