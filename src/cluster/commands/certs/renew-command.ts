import { command } from "../../../cli/command.ts";
import { boolFlag } from "../../../cli/flag.ts";
import { UsageError } from "../../../cli/parse-flags.ts";
import { reissue } from "../../../platform/pki/kept-certificates.ts";
import { certificatesOf, certsFlags } from "./certs-folder.ts";

/** Issues certificates again. */
export const renewCommand = command({
  name: "renew",
  short: "Issue certificates again",
  long: `Issue certificates again, for the same keys and names: those that are named, or all that an authority of the
cluster has signed. Authorities and keys stay as they are, so that old certificates are valid until they expire.

A server that runs uses the new certificates within a second, and so does admin.kubeconfig.

Exit codes: 0 on success, 1 when a certificate cannot be issued, 2 when the command line is invalid.`,
  arguments: "[NAME…]",
  arity: { max: Number.POSITIVE_INFINITY },
  examples: `  # Renew all certificates that are due
  wherry certs renew --due

  # Renew one certificate
  wherry certs renew apiserver`,
  flags: { due: boolFlag({ usage: "only those that are to be renewed" }) },
  async run({ flags, inherited, args, streams }) {
    const now = new Date();
    const { dir, certificates } = await certificatesOf(inherited(certsFlags), now);
    const renewable = certificates.filter(({ authority }) => authority !== undefined);
    const unknown = args.filter((name) => !renewable.some((kept) => kept.name === name));
    if (unknown.length > 0)
      throw new UsageError(
        `cannot renew ${unknown.join(", ")}: choose among ${renewable.map(({ name }) => name).join(", ")}`,
      );
    const chosen = renewable.filter(
      ({ name, isDue }) => (args.length === 0 || args.includes(name)) && (isDue || !flags.due),
    );
    for (const kept of chosen) {
      await reissue(dir, kept, now);
      streams.stdout.write(`renewed ${kept.name}\n`);
    }
    if (chosen.length === 0) streams.stdout.write("no certificate is to be renewed\n");
    return 0;
  },
});
