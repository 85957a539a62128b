import { describedKinds } from "../described-kinds.ts";
import { eventLines } from "../events.ts";
import { headLines } from "../metadata-lines.ts";
import { objectDescriber } from "../object-describer.ts";

const title = "Image pull secrets:";

export const describeServiceAccount = objectDescriber(
  describedKinds.serviceAccount,
  async (d, account, context) => {
    const events = await context.events(account);
    headLines(d, account.metadata, true);
    const { imagePullSecrets = [] } = account;
    if (imagePullSecrets.length === 0) d.row([title, "<none>"]);
    for (const [at, { name }] of imagePullSecrets.entries())
      d.row([at === 0 ? title : " ".repeat(title.length), name ?? ""]);
    eventLines(d, events, context.clock);
  },
);
