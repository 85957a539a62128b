import { stringFlag } from "../../cli/flag.ts";
import { readGiven } from "../../platform/given-files.ts";

/** What certificates and keys in a snapshot are encrypted with. */
export const passphraseFlags = {
  "passphrase-file": stringFlag({
    usage: "the `FILE` with the passphrase that certificates and keys are encrypted with",
  }),
};

/** The passphrase in the file that was given: its first line, and the only one; undefined without a file. */
export async function readPassphrase(flags: {
  readonly "passphrase-file": string;
}): Promise<string | undefined> {
  const path = flags["passphrase-file"];
  if (path === "") return undefined;
  const passphrase = (await readGiven({ flag: "passphrase-file", path })).replace(/\r?\n$/, "");
  if (passphrase === "" || /[\r\n]/.test(passphrase))
    throw new Error(`${path}, given by --passphrase-file, must hold the passphrase in one line`);
  return passphrase;
}
