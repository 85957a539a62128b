import { sleep } from "../../../base/clock.ts";
import { command } from "../../../cli/command.ts";
import { boolFlag } from "../../../cli/flag.ts";
import { UsageError } from "../../../cli/parse-flags.ts";
import type { Client } from "../../../client/client.ts";
import { readCertificates, reissue } from "../../../platform/pki/kept-certificates.ts";
import { isSignedBy } from "../../../platform/pki/pki.ts";
import { type AuthorityName, ownAuthorities } from "../../../platform/pki/pki-authority.ts";
import {
  type AuthorityState,
  readAuthority,
  rotateAuthority,
} from "../../../platform/pki/rotate-authority.ts";
import { realClock } from "../../../platform/real-clock.ts";
import { certificatesInUse } from "./certificates-in-use.ts";
import { type CertificatesFolder, certificatesFolder, certsFlags } from "./certs-folder.ts";
import { withServerOf } from "./cluster-access.ts";
import { missingTrust } from "./missing-trust.ts";
import { needsStep, nextStep, type RotationStep, stageTexts } from "./rotation-step.ts";

/** Replaces the authorities of a cluster, one step with each call. */
export const rotateCaCommand = command({
  name: "rotate-ca",
  short: "Replace the authorities that sign certificates, step by step",
  long: `Replace the authorities of a cluster while it runs: those that are named, or all three. Each call does one step, and
says where the rotation stands:

1. New authorities are made. They are trusted beside the present ones, and sign nothing yet.
2. They sign: all certificates of the cluster are issued again, also those of the nodes of "wherry up".
3. The previous authorities are dropped.

The server, its components and the nodes of "wherry up" follow within seconds, without a restart. Step 2 waits until
they trust the new authorities; give other clients time for that, too: pods see a change of kube-root-ca.crt after
about a minute, and a kubeconfig that was copied must be copied again after step 1 and after step 2. Step 3 is refused
while nodes, or clients that have requested their certificates from the cluster, still use certificates of a previous
authority; others are not known. A call that was interrupted can be repeated.

Exit codes: 0 on success, 1 when the step is not possible, 2 when the command line is invalid.`,
  arguments: "[ca] [kubelet-ca] [front-proxy-ca]",
  arity: { max: Number.POSITIVE_INFINITY },
  examples: `  # Where does the rotation stand?
  wherry certs rotate-ca --status

  # The next step
  wherry certs rotate-ca`,
  flags: {
    status: boolFlag({ usage: "only say where the rotation stands" }),
    force: boolFlag({ usage: "do the step although certificates or clients stop it" }),
  },
  async run({ flags, inherited, args, streams }) {
    const known = ownAuthorities.map(({ file }) => file);
    const unknown = args.filter((name) => !known.includes(name));
    if (unknown.length > 0)
      throw new UsageError(`cannot rotate ${unknown.join(", ")}: choose among ${known.join(", ")}`);
    const folder = await certificatesFolder(inherited(certsFlags));
    const chosen = ownAuthorities.filter(({ file }) => args.length === 0 || args.includes(file));
    const say = (text: string): void => streams.stdout.write(`${text}\n`);
    if (!flags.status)
      await withServerOf(folder.dataDir, (client) =>
        doNextStep(chosen, { folder, client, isForced: flags.force, say }),
      );
    for (const name of chosen) {
      const { stage } = await readAuthority(folder.dir, name);
      say(`${name.file}: ${stageTexts[stage]}`);
    }
    return 0;
  },
});

interface Rotating {
  readonly folder: CertificatesFolder;
  /** Undefined if no server runs. */
  readonly client: Client | undefined;
  readonly isForced: boolean;
  say(text: string): void;
}

async function doNextStep(names: readonly AuthorityName[], around: Rotating): Promise<void> {
  const { dir } = around.folder;
  const states = await Promise.all(names.map((name) => readAuthority(dir, name)));
  // A call that was interrupted may have left certificates of a previous authority.
  const isLeft = states.some(({ stage }) => stage === "issued") && (await leaves(dir)).length > 0;
  const step = isLeft ? "issue" : nextStep(states.map(({ stage }) => stage));
  if (!around.isForced) await checkStep(step, states, around);
  for (const name of names) {
    const { stage } = await readAuthority(dir, name);
    if (needsStep(stage, step)) await rotateAuthority(dir, name, new Date());
  }
  if (step === "issue") await issueAgain(around);
}

/** Throws if a step would end connections. */
async function checkStep(
  step: RotationStep,
  states: readonly AuthorityState[],
  { folder, client }: Rotating,
): Promise<void> {
  const { dataDir } = folder;
  if (step === "issue") {
    const next = Object.fromEntries(
      states.flatMap(({ name, next: one }) => (one ? [[name, one] as const] : [])),
    );
    const missing = await eventuallyNone(() => missingTrust(dataDir, next, client));
    if (missing.length > 0)
      throw new Error(
        `the new authorities are not trusted yet by ${missing.join(", ")}: try again later, or do the step nevertheless with --force`,
      );
  }
  if (step === "drop") {
    const previous = states.flatMap((state) => state.previous ?? []);
    const inUse = await eventuallyNone(() =>
      certificatesInUse(dataDir, previous, { client, now: new Date() }),
    );
    if (inUse.length > 0)
      throw new Error(
        `certificates of the previous authorities are still used by ${inUse.join(", ")}: try again when they are renewed, or drop the authorities nevertheless with --force`,
      );
  }
}

/** How long the server and the nodes may take to follow the step before. */
const patienceMs = 30_000;

/** Asks until there is no reason against a step, and returns those that remain after a while. */
async function eventuallyNone(ask: () => Promise<readonly string[]>): Promise<readonly string[]> {
  const until = realClock.now() + patienceMs;
  for (;;) {
    const reasons = await ask();
    if (reasons.length === 0 || realClock.now() > until) return reasons;
    await sleep(realClock, 500);
  }
}

/** The certificates of the folder that a previous authority has signed. */
async function leaves(dir: string) {
  const certificates = await readCertificates(dir, new Date());
  const previous = certificates.flatMap(({ role, certificate }) =>
    role === "previous" && certificate ? [certificate] : [],
  );
  return certificates.filter(
    ({ isAuthority, certificate }) =>
      !isAuthority && certificate && previous.some((one) => isSignedBy(certificate, one)),
  );
}

/** Issues the certificates of the folder again that a previous authority has signed. */
async function issueAgain({ folder: { dir }, say }: Rotating): Promise<void> {
  for (const kept of await leaves(dir)) {
    await reissue(dir, kept, new Date());
    say(`renewed ${kept.name}`);
  }
}
