import { kubectlCommand } from "../../program/kubectl-command.ts";

export const helpCommand = kubectlCommand({
  name: "help",
  usage: "[command] [flags]",
  short: "Help about any command",
  long: "Help provides help for any command in the application. Simply type kubectl help [path to command] for full details.",
  async run(context) {
    const { args, io, runOther, builtInPath } = context;
    if (args.length > 0 && (await builtInPath(args)) === undefined) {
      io.stderr.write(`Unknown help topic [${args.map((arg) => `\`${arg}\``).join(" ")}]\n`);
      return 0;
    }
    return runOther([...args, "--help"]);
  },
});
