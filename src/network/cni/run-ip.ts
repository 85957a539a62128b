import { existsSync } from "node:fs";
import { CniError } from "../../cri/cni/cni-error.ts";
import { runChild } from "../../platform/run-child.ts";

/** Runs commands of `ip`, in a network namespace if a file of one is given. Rejects if one fails. */
export async function runIp(commands: readonly string[], netns?: string): Promise<void> {
  if (commands.length > 0) await run(["-batch", "-"], netns, `${commands.join("\n")}\n`);
}

/** The rows that `ip -json` prints; none if there is no such interface. */
export async function readIp<Row>(
  args: readonly string[],
  netns?: string,
): Promise<readonly Row[]> {
  try {
    const rows = JSON.parse((await run(["-json", ...args], netns)) || "[]") as readonly Row[];
    // A row that does not match a filter is an empty object.
    return rows.filter((row) => Object.keys(row as object).length > 0);
  } catch (error) {
    if (isMissing((error as Error).message)) return [];
    throw error;
  }
}

/** Removes an interface; nothing happens if it is not there, nor its namespace. */
export async function deleteLink(name: string, netns: string): Promise<void> {
  if (!existsSync(netns)) return;
  try {
    await run(["link", "delete", "dev", name], netns);
  } catch (error) {
    // The namespace may go meanwhile.
    if (!isMissing((error as Error).message) && existsSync(netns)) throw error;
  }
}

/** Writes settings below /proc/sys/net in a network namespace; those that a kernel lacks are skipped. */
export async function setInNamespace(
  netns: string,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  const lines = Object.entries(settings).flat();
  const script =
    'while [ $# -gt 0 ]; do [ ! -e "/proc/sys/net/$1" ] || echo "$2" > "/proc/sys/net/$1"; shift 2; done';
  await runChild("nsenter", [`--net=${netns}`, "sh", "-c", script, "sh", ...lines]);
}

/** Throws if a file is not a network namespace that can be entered. */
export function checkNamespace(netns: string): void {
  if (!existsSync(netns))
    throw new CniError(
      "unknownContainer",
      `failed to open netns ${JSON.stringify(netns)}: no such file or directory`,
    );
}

const isMissing = (problem: string): boolean =>
  /Cannot find device|does not exist|No such device/.test(problem);

async function run(args: readonly string[], netns?: string, input?: string): Promise<string> {
  const inside = netns === undefined ? [] : ["nsenter", `--net=${netns}`];
  const [program = "ip", ...rest] = [...inside, "ip", ...args];
  const { code, stdout, stderr } = await runChild(
    program,
    rest,
    input === undefined ? {} : { input },
  );
  if (code !== 0) throw new Error(stderr.trim() || stdout.trim() || `ip ended with code ${code}`);
  return stdout;
}

export const isIpv6 = (address: string): boolean => address.includes(":");
