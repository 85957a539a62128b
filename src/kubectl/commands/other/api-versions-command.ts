import { compareUtf8 } from "../../../schema/values/utf8-order.ts";
import { usageError } from "../../program/command-error.ts";
import { kubectlCommand } from "../../program/kubectl-command.ts";
import { freshApis } from "../shared/fresh-apis.ts";

export const apiVersionsCommand = kubectlCommand({
  name: "api-versions",
  short: 'Print the supported API versions on the server, in the form of "group/version"',
  long: 'Print the supported API versions on the server, in the form of "group/version".',
  examples: `# Print the supported API versions
kubectl api-versions`,
  async run({ args, path, factory, io }) {
    if (args.length > 0) throw usageError(path, `unexpected arguments: [${args.join(" ")}]`);
    const { groups } = await freshApis(factory).catch((cause: unknown) => {
      throw new Error(
        `couldn't get available api versions from server: ${(cause as Error).message}`,
        {
          cause,
        },
      );
    });
    const versions = groups.flatMap(({ name, versions }) =>
      versions.map((version) => (name === "" ? version : `${name}/${version}`)),
    );
    io.stdout.write(
      versions
        .sort(compareUtf8)
        .map((version) => `${version}\n`)
        .join(""),
    );
    return undefined;
  },
});
