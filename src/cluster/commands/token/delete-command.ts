import {
  bootstrapTokenName,
  bootstrapTokenNamespace,
  isBootstrapTokenId,
  parseBootstrapToken,
} from "../../../api/core/v1/bootstrap-token-secret.ts";
import { Secret } from "../../../api/core/v1/secret.ts";
import { command } from "../../../cli/command.ts";
import { UsageError } from "../../../cli/parse-flags.ts";
import { withCluster } from "./token-connection.ts";

/** Deletes tokens. */
export const deleteCommand = command({
  name: "delete",
  short: "Delete tokens",
  long: `Delete tokens, each named by its ID or in full. Machines that joined with them stay nodes.`,
  arguments: "TOKEN…",
  arity: { min: 1, max: Number.POSITIVE_INFINITY },
  async run(context) {
    const { args, streams, signal } = context;
    const ids = args.map((given) =>
      isBootstrapTokenId(given) ? given : parseBootstrapToken(given)?.id,
    );
    if (ids.includes(undefined))
      throw new UsageError([
        'given token didn\'t match pattern "[a-z0-9]{6}.[a-z0-9]{16}" or "[a-z0-9]{6}"',
      ]);
    return withCluster(context, async ({ client }) => {
      for (const id of ids) {
        const key = { namespace: bootstrapTokenNamespace, name: bootstrapTokenName(id ?? "") };
        await client.delete(Secret, key, { signal }).catch((cause: unknown) => {
          throw new Error(`failed to delete bootstrap token "${id}"`, { cause });
        });
        streams.stdout.write(`bootstrap token "${id}" deleted\n`);
      }
      return 0;
    });
  },
});
