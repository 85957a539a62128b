/** A process that the kernel killed for lack of memory. */
export interface OomKill {
  /** The cgroup whose limit was hit; `/` if the whole machine had no memory left. */
  readonly limitedCgroup: string;
  /** The cgroup of the process, if the kernel says it. */
  readonly victimCgroup?: string | undefined;
  readonly process: string;
  readonly pid: number;
}

/** Parses the messages of the kernel, record by record. */
export interface OomParser {
  /** Adds a record of `/dev/kmsg`; returns a kill that it completes. */
  add(record: string): OomKill | undefined;
}

/** Creates a parser that expects the oldest record first. A record that it has seen is ignored. */
export function createOomParser(): OomParser {
  let latest = -1;
  let kill: Partial<OomKill> | undefined;
  const finish = (last: Pick<OomKill, "process" | "pid">): OomKill => {
    const complete = { limitedCgroup: "/", ...kill, ...last };
    kill = undefined;
    return complete;
  };
  return {
    add(record) {
      const [, number = "", message = ""] = /^\d+,(\d+),[^;]*;(.*)$/.exec(record) ?? [];
      if (number === "" || Number(number) <= latest) return undefined;
      latest = Number(number);
      if (message.includes("invoked oom-killer:")) kill = {};
      if (!kill) return undefined;
      kill = { ...kill, ...cgroupsIn(message) };
      const summary = summaryPattern.exec(message);
      if (summary) return finish({ process: summary[1] ?? "", pid: Number(summary[2]) });
      const killed = /Killed process (\d+) \((.+)\)/.exec(message);
      if (killed) return finish({ process: killed[2] ?? "", pid: Number(killed[1]) });
      return undefined;
    },
  };
}

/** What Linux writes since version 5.0, for a cgroup and for the whole machine. */
const summaryPattern = /oom-kill:constraint=.*,task=(.*),pid=(\d+),uid=\d+/;

function cgroupsIn(message: string): Partial<OomKill> {
  const [, limited, victim] =
    /(?:oom_memcg=(.*)|global_oom),task_memcg=(.*),task=/.exec(message) ?? [];
  if (victim !== undefined) return { limitedCgroup: limited ?? "/", victimCgroup: victim };
  const [, task, limit] = /Task in (.*) killed as a result of limit of (.*)/.exec(message) ?? [];
  return task === undefined ? {} : { limitedCgroup: limit || "/", victimCgroup: task };
}

/** Whether a kill is for lack of memory of the whole machine, or of the cgroup that a node has instead of it. */
export function isSystemOom({ limitedCgroup, victimCgroup }: OomKill, nodeCgroup = "/"): boolean {
  if (nodeCgroup === "/" || limitedCgroup === nodeCgroup) return limitedCgroup === nodeCgroup;
  return limitedCgroup === "/" && (victimCgroup?.startsWith(`${nodeCgroup}/`) ?? false);
}

/** The message of the event about a kill. */
export const systemOomMessage = ({ process, pid }: OomKill): string =>
  process !== "" && pid !== 0
    ? `System OOM encountered, victim process: ${process}, pid: ${pid}`
    : "System OOM encountered";
