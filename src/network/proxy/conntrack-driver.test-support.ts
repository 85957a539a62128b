import { streamLog } from "../../platform/create-log.ts";
import { realClock as clock } from "../../platform/real-clock.ts";
import { restoreSettings } from "../kernel-settings.ts";
import { serveCalls } from "../pods/serve-calls.test-support.ts";
import { adjustConntrack, type ConntrackSettings } from "./conntrack-settings.ts";

// A program that changes the settings of another network namespace.
const log = streamLog(process.stderr, { clock, level: "warn" });

await serveCalls({
  adjust: (settings: ConntrackSettings, record: string) =>
    adjustConntrack(settings, { record, log }),
  restore: restoreSettings,
});
