// Replays recorded requests on a server and compares the answers: npm run replay -- --kubeconfig FILE FOLDER…
import { runnerArguments, Tally } from "./arguments.ts";
import { HttpClient, parsed } from "./http-client.ts";
import { readCases } from "./read-cases.ts";
import { compareAnswer } from "./replay/compare-answer.ts";
import { keptHeaders } from "./replay/kept-headers.ts";
import type { RecordedAnswer, RecordedCase, Step } from "./replay/recorded-case.ts";
import { createFixture, runCase } from "./replay/run-case.ts";

const { kubeconfig, grep, quiet, values, folders } = runnerArguments("replay", {
  without: { type: "string" },
  backdate: { type: "boolean" },
});
const without = values.without as string | undefined;
const backdate = values.backdate === true;

const http = new HttpClient(kubeconfig, "recorder/1");
const client = { send };
await createFixture(client);
const tally = new Tally();
for (const recorded of folders.flatMap(readCases<RecordedCase>)) {
  if (!grep.test(recorded.name)) continue;
  const found = await replay(recorded);
  tally.count(recorded.name, found === undefined ? "equal" : "different");
  if (found !== undefined && !quiet) console.log(`DIFFERENT ${recorded.name}\n    ${found}`);
}
http.close();
tally.finish();

async function replay(recorded: RecordedCase): Promise<string | undefined> {
  try {
    const answer = await runCase(client, recorded, { backdate });
    return compareAnswer(recorded, answer, { without });
  } catch (error) {
    return `no answer: ${(error as Error).message}`;
  }
}

async function send(step: Step): Promise<RecordedAnswer> {
  const { status, rawHeaders, text } = await http.send(step);
  return { status, headers: keptHeaders(rawHeaders), body: parsed(text) };
}
