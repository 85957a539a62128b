import { command } from "../../../cli/command.ts";
import { newToken } from "./bootstrap-token.ts";

/** Prints a new token. */
export const generateCommand = command({
  name: "generate",
  short: "Print a new token without creating it",
  long: 'Print a new random token. The cluster does not know it until it is created with "wherry token create".',
  async run({ streams }) {
    streams.stdout.write(`${newToken()}\n`);
    return 0;
  },
});
