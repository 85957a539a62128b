import type { Random } from "../../../base/random.ts";
import { formatTime, timeFromMillis } from "../../../schema/values/time.ts";
import type { VersionInfo } from "../documents.ts";
import { delimiterBy } from "./delimiter.ts";
import type { Page } from "./page-response.ts";

export interface StatuszOptions {
  readonly version: VersionInfo;
  /** Times in milliseconds since the epoch. */
  readonly startedAt: number;
  readonly now: number;
  /** All that is served beside resources. */
  readonly paths: readonly string[];
  readonly random: Random;
}

/** The page with the version and the start time of the server. */
export function statuszPage(options: StatuszOptions): Page {
  const { version, startedAt, now, random } = options;
  const seconds = Math.max(0, Math.floor((now - startedAt) / 1000));
  const emulation = emulationVersion(version);
  const binary = version.gitVersion.replace(/^v/, "");
  const goVersion = version.goVersion ?? "";
  const paths = debuggingPaths(options.paths);
  return {
    kind: "Statusz",
    text() {
      const delimiter = delimiterBy(random);
      const line = (name: string, value: string): string => `${name}${delimiter} ${value}\n`;
      return [
        "\n",
        line("Started", unixDate(startedAt)),
        line("Up", uptime(seconds)),
        line("Go version", goVersion),
        line("Binary version", binary),
        emulation === undefined ? "\n" : line("Emulation version", emulation),
        paths.length === 0 ? "\n" : line("Paths", paths.join(" ")),
      ].join("");
    },
    fields: () => ({
      startTime: formatTime(timeFromMillis(startedAt)),
      uptimeSeconds: seconds,
      goVersion,
      binaryVersion: binary,
      ...(emulation !== undefined && { emulationVersion: emulation }),
      paths,
    }),
  };
}

function emulationVersion({ emulationMajor, emulationMinor }: VersionInfo): string | undefined {
  return emulationMajor === undefined ? undefined : `${emulationMajor}.${emulationMinor}`;
}

/** What is below these is for programs. */
const programs: ReadonlySet<string> = new Set([
  "/apis",
  "/api",
  "/openid",
  "/openapi",
  "/.well-known",
]);

/** The first parts of paths that people look at. */
function debuggingPaths(paths: readonly string[]): string[] {
  const folders = paths.map((path) => `/${path.split("/")[1] ?? ""}`);
  return [...new Set(folders)].filter((path) => path !== "/" && !programs.has(path)).sort();
}

/** A time as Unix' `date` shows it. */
function unixDate(ms: number): string {
  const [weekday = "", day = "", month, year, time] = new Date(ms).toUTCString().split(" ");
  return `${weekday.slice(0, 3)} ${month} ${String(Number(day)).padStart(2)} ${time} UTC ${year}`;
}

function uptime(seconds: number): string {
  const twoDigits = (value: number): string => String(value).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  return `${Math.floor(minutes / 60)} hr ${twoDigits(minutes % 60)} min ${twoDigits(seconds % 60)} sec`;
}
