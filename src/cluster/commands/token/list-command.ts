import {
  bootstrapTokenNamespace,
  bootstrapTokenType,
} from "../../../api/core/v1/bootstrap-token-secret.ts";
import { Secret } from "../../../api/core/v1/secret.ts";
import { errorMessage } from "../../../base/error-message.ts";
import { command } from "../../../cli/command.ts";
import { outputFlags } from "../../up/status-command.ts";
import { type DescribedToken, tokenOf } from "./bootstrap-token.ts";
import { withCluster } from "./token-connection.ts";
import { tokenTable } from "./token-table.ts";

/** Lists the tokens of a cluster. */
export const listCommand = command({
  name: "list",
  short: "List tokens",
  long: "List the bootstrap tokens of a cluster with their secrets.",
  flags: outputFlags,
  run: (context) =>
    withCluster(context, async ({ client }) => {
      const { flags, streams, signal } = context;
      const { items } = await client.list(Secret, {
        namespace: bootstrapTokenNamespace,
        fieldSelector: { type: bootstrapTokenType },
        signal,
      });
      const tokens: DescribedToken[] = [];
      for (const secret of items)
        try {
          tokens.push(tokenOf(secret));
        } catch (error) {
          streams.stderr.write(`${errorMessage(error)}\n`);
        }
      if (flags.output === "json")
        streams.stdout.write(`${JSON.stringify(tokens, undefined, 2)}\n`);
      else if (tokens.length > 0) streams.stdout.write(tokenTable(tokens, Date.now()));
      return 0;
    }),
});
