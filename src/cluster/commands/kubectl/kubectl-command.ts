import { command } from "../../../cli/command.ts";

/** All of kubectl; its own program reads the arguments. */
export const kubectlCommand = command({
  name: "kubectl",
  short: "Control a cluster with the commands of kubectl",
  passesArguments: true,
  async run({ args }) {
    const { main } = await import("../../../kubectl/main.ts");
    return main(args);
  },
});
