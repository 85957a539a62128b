import { stringFlag } from "../../cli/flag.ts";
import { readGiven } from "../../platform/given-files.ts";

/** The flag for the passphrase that encrypts certificates and keys in a snapshot. */
export const passphraseFlags = {
  "passphrase-file": stringFlag({
    usage: "the `FILE` with the passphrase that encrypts certificates and keys",
  }),
};

/** Reads the passphrase from the given file, which must have one line; undefined without a file. */
export async function readPassphrase(flags: {
  readonly "passphrase-file": string;
}): Promise<string | undefined> {
  const path = flags["passphrase-file"];
  if (path === "") return undefined;
  const passphrase = (await readGiven({ flag: "passphrase-file", path })).replace(/\r?\n$/, "");
  if (passphrase === "" || /[\r\n]/.test(passphrase))
    throw new Error(
      `${path}, given by --passphrase-file, must hold the passphrase in a single line`,
    );
  return passphrase;
}
