import { stat } from "node:fs/promises";
import { join } from "node:path";
import { Secret } from "../../../api/core/v1/secret.ts";
import { serviceAccountTokenKind } from "../../../api/core/v1/service-account-token-secret.ts";
import { command } from "../../../cli/command.ts";
import { boolFlag } from "../../../cli/flag.ts";
import type { Client } from "../../../client/client.ts";
import {
  readTokenKeys,
  rotateTokenKeys,
  type TokenKeyState,
} from "../../../platform/pki/token-key-files.ts";
import { verifyingKeys } from "../../../platform/pki/token-keys.ts";
import { parseJwt } from "../../../schema/values/jwt.ts";
import { humanDuration } from "../../../schema/values/time.ts";
import { certificatesFolder, certsFlags } from "./certs-folder.ts";
import { withServerOf } from "./cluster-access.ts";
import { stageTexts } from "./rotation-step.ts";

/** Replaces the key that signs tokens of service accounts, one step with each call. */
export const rotateTokenKeysCommand = command({
  name: "rotate-service-account-keys",
  short: "Replace the key that signs tokens of service accounts, step by step",
  long: `Replace the key that signs tokens of service accounts while a cluster runs. Each call does one step, and says where
the rotation stands:

1. A new key is made. Tokens are verified with it, and others find it at /openid/v1/jwks; it signs nothing yet.
2. It signs new tokens; those of the previous key stay valid.
3. The previous key is dropped, and its tokens end.

A server follows within a second. Those who verify tokens themselves may keep the published keys for an hour: wait that
long before step 2. Pods get new tokens within an hour after step 2, and step 3 is refused before that, or while
secrets have tokens of the previous key: delete those secrets, or their key "token", to have new ones made. A call that
was interrupted can be repeated.

Exit codes: 0 on success, 1 when the step is not possible, 2 when the command line is invalid.`,
  arity: { max: 0 },
  examples: `  # The next step
  wherry certs rotate-service-account-keys`,
  flags: {
    status: boolFlag({ usage: "only say where the rotation stands" }),
    force: boolFlag({ usage: "drop the previous key although tokens of it may be in use" }),
  },
  async run({ flags, inherited, streams }) {
    const { dataDir, dir } = await certificatesFolder(inherited(certsFlags));
    if (!flags.status) {
      const state = await readTokenKeys(dir);
      if (state.stage === "issued" && !flags.force)
        await withServerOf(dataDir, (client) => checkDrop(state, { dir, client, now: Date.now() }));
      await rotateTokenKeys(dir);
    }
    const { stage } = await readTokenKeys(dir);
    streams.stdout.write(`service-account-keys: ${stageTexts[stage]}\n`);
    return 0;
  },
});

/** Pods renew their tokens within this time. */
const tokenLifeMs = 3_600_000;

/** Throws if tokens of the previous key may be in use. */
async function checkDrop(
  { previous = "" }: TokenKeyState,
  {
    dir,
    client,
    now,
  }: { readonly dir: string; readonly client: Client | undefined; readonly now: number },
): Promise<void> {
  const remedy = "or drop the key nevertheless with --force";
  const { mtimeMs } = await stat(join(dir, "sa-previous.pub"));
  const left = mtimeMs + tokenLifeMs - now;
  if (left > 0)
    throw new Error(
      `tokens of pods may still have been signed by the previous key: try again in ${humanDuration(left)}, ${remedy}`,
    );
  const keys = new Set(verifyingKeys(previous).map(({ id }) => id));
  const secrets = client ? (await client.list(Secret, { namespace: "" })).items : [];
  const inUse = secrets.filter(
    ({ type, data = {} }) =>
      type === serviceAccountTokenKind &&
      keys.has(String(parseJwt(textOf(data.token))?.header.kid)),
  );
  if (inUse.length > 0) {
    const names = inUse.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    throw new Error(
      `secrets have tokens of the previous key: ${names.join(", ")}: delete their token to have new ones made, ${remedy}`,
    );
  }
}

const textOf = (data = ""): string => Buffer.from(data, "base64").toString("utf8");
